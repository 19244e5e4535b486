	.option nopic
	.attribute arch, "rv64gc"
	.text
	.p2align 2
	.globl main
	.type main, %function
main:
	addi sp, sp, -112
	sd ra, 104(sp)
	sd s0, 96(sp)
	sd s1, 88(sp)
	sd s2, 80(sp)
	sd s3, 72(sp)
	sd s4, 64(sp)
	sd s5, 56(sp)
	sd s6, 48(sp)
	sd s7, 40(sp)
	sd s8, 32(sp)
	sd s9, 24(sp)
	sd s10, 16(sp)
	sd s11, 8(sp)
	call getint
	bge zero, a0, .Lf0_13
	addiw a5, a0, -3
	lui a4, 73
	addiw a4, a4, 585
	slli a4, a4, 13
	addi a4, a4, 1171
	lla a3, a
	addi a2, zero, 0
.Lf0_2:
	bge zero, a5, .Lf0_8
	addi a1, zero, 0
	mv a6, a3
.Lf0_4:
	mulw a7, a2, a1
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 0(a6)
	addiw a7, a1, 1
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 4(a6)
	addiw a7, a1, 2
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 8(a6)
	addiw a7, a1, 3
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 12(a6)
	addiw a1, a1, 4
	addi a6, a6, 16
	blt a1, a5, .Lf0_4
	blt a1, a0, .Lf0_9
	j .Lf0_11
.Lf0_8:
	addi a1, zero, 0
	mv a6, a3
.Lf0_9:
	mulw a7, a2, a1
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 0(a6)
	addiw a1, a1, 1
	addi a6, a6, 4
	blt a1, a0, .Lf0_9
.Lf0_11:
	addiw a2, a2, 1
	addi a3, a3, 1200
	blt a2, a0, .Lf0_2
.Lf0_13:
	bge zero, a0, .Lf0_26
	addiw a5, a0, -3
	lla a4, b
	addi a3, zero, 0
.Lf0_15:
	bge zero, a5, .Lf0_21
	addi a2, zero, 0
	mv a1, a4
.Lf0_17:
	addw a6, a3, a2
	sw a6, 0(a1)
	addiw a6, a2, 1
	addw a6, a3, a6
	sw a6, 4(a1)
	addiw a6, a2, 2
	addw a6, a3, a6
	sw a6, 8(a1)
	addiw a6, a2, 3
	addw a6, a3, a6
	sw a6, 12(a1)
	addiw a2, a2, 4
	addi a1, a1, 16
	blt a2, a5, .Lf0_17
	blt a2, a0, .Lf0_22
	j .Lf0_24
.Lf0_21:
	addi a2, zero, 0
	mv a1, a4
.Lf0_22:
	addw a6, a3, a2
	sw a6, 0(a1)
	addiw a2, a2, 1
	addi a1, a1, 4
	blt a2, a0, .Lf0_22
.Lf0_24:
	addiw a3, a3, 1
	addi a4, a4, 1200
	blt a3, a0, .Lf0_15
.Lf0_26:
	bge zero, a0, .Lf0_62
	addiw a5, a0, -3
	addi a4, zero, 1200
	mul a4, a0, a4
	sd a0, 0(sp)
	addi a3, zero, 1200
	mul a3, a0, a3
	lui a2, 1
	addiw a2, a2, -1696
	lla a1, b
	addi a6, zero, 1200
	addi a7, zero, 0
.Lf0_28:
	bge zero, a5, .Lf0_45
	mulw t0, a7, a6
	lla t1, a
	add t1, t1, t0
	lla t2, c
	add t0, t2, t0
	addi t2, zero, 0
	addiw t3, t2, 1
	addiw t4, t2, 2
	addiw s0, t2, 3
	slliw s1, t2, 2
	add s2, a1, s1
	add s3, s2, a4
	addi s4, s3, -1200
	blt s2, s4, .Lf0_31
.Lf0_37:
	addi s5, zero, 0
	addi s6, zero, 0
	addi s7, zero, 0
	addi s8, zero, 0
	mv s9, t1
.Lf0_38:
	lw s4, 0(s9)
	lw s10, 0(s2)
	mulw s10, s4, s10
	addw s8, s8, s10
	lw s10, 4(s2)
	mulw s10, s4, s10
	addw s7, s7, s10
	lw s10, 8(s2)
	mulw s10, s4, s10
	addw s6, s6, s10
	lw s10, 12(s2)
	mulw s4, s4, s10
	addw s5, s5, s4
	addi s9, s9, 4
	addi s2, s2, 1200
	blt s2, s3, .Lf0_38
.Lf0_41:
	add s1, t0, s1
	sw s8, 0(s1)
	slliw t3, t3, 2
	add t3, t0, t3
	sw s7, 0(t3)
	slliw t3, t4, 2
	add t3, t0, t3
	sw s6, 0(t3)
	slliw t3, s0, 2
	add t3, t0, t3
	sw s5, 0(t3)
	addiw t2, t2, 4
	bge t2, a5, .Lf0_43
.Lf0_30:
	addiw t3, t2, 1
	addiw t4, t2, 2
	addiw s0, t2, 3
	slliw s1, t2, 2
	add s2, a1, s1
	add s3, s2, a4
	addi s4, s3, -1200
	bge s2, s4, .Lf0_37
.Lf0_31:
	addi s5, zero, 0
	addi s6, zero, 0
	addi s7, zero, 0
	addi s8, zero, 0
	mv s9, t1
.Lf0_32:
	lw s10, 0(s9)
	lw s11, 0(s2)
	mulw s11, s10, s11
	addw s8, s8, s11
	lw s11, 4(s2)
	mulw s11, s10, s11
	addw s7, s7, s11
	lw s11, 8(s2)
	mulw s11, s10, s11
	addw s6, s6, s11
	lw s11, 12(s2)
	mulw s10, s10, s11
	addw s5, s5, s10
	lw s10, 4(s9)
	lw s11, 1200(s2)
	mulw s11, s10, s11
	addw s8, s8, s11
	lw s11, 1204(s2)
	mulw s11, s10, s11
	addw s7, s7, s11
	lw s11, 1208(s2)
	mulw s11, s10, s11
	addw s6, s6, s11
	lw s11, 1212(s2)
	mulw s10, s10, s11
	addw s5, s5, s10
	addi s9, s9, 8
	add s2, s2, a2
	blt s2, s4, .Lf0_32
	blt s2, s3, .Lf0_38
	j .Lf0_41
.Lf0_43:
	blt t2, a0, .Lf0_46
	j .Lf0_60
.Lf0_45:
	addi t2, zero, 0
.Lf0_46:
	mulw t0, a7, a6
	slliw t1, t2, 2
	lla t3, c
	add t3, t3, t1
	add t3, t3, t0
	add t1, a1, t1
	ld t4, 0(sp)
	sub t2, t4, t2
	slli t2, t2, 2
	add t2, t1, t2
	lla t4, a
	add t0, t4, t0
.Lf0_47:
	add t4, t1, a3
	addi s0, t4, -1200
	bge t1, s0, .Lf0_54
	addi s1, zero, 0
	mv s2, t1
	mv s3, t0
.Lf0_49:
	lw s4, 0(s3)
	lw s5, 0(s2)
	mulw s4, s4, s5
	addw s1, s1, s4
	lw s4, 4(s3)
	lw s5, 1200(s2)
	mulw s4, s4, s5
	addw s1, s1, s4
	addi s3, s3, 8
	add s2, s2, a2
	blt s2, s0, .Lf0_49
	blt s2, t4, .Lf0_55
	j .Lf0_58
.Lf0_54:
	addi s1, zero, 0
	mv s2, t1
	mv s3, t0
.Lf0_55:
	lw s0, 0(s3)
	lw s4, 0(s2)
	mulw s0, s0, s4
	addw s1, s1, s0
	addi s3, s3, 4
	addi s2, s2, 1200
	blt s2, t4, .Lf0_55
.Lf0_58:
	sw s1, 0(t3)
	addi t3, t3, 4
	addi t1, t1, 4
	blt t1, t2, .Lf0_47
.Lf0_60:
	addiw a7, a7, 1
	blt a7, a0, .Lf0_28
.Lf0_62:
	lla a5, c
	srliw a4, a0, 31
	addw a4, a0, a4
	sraiw a4, a4, 1
	addi a3, zero, 1200
	mulw a3, a4, a3
	slliw a4, a4, 2
	add a5, a5, a4
	add a5, a5, a3
	lw a0, 0(a5)
	call putint
	addi a0, zero, 0
	ld ra, 104(sp)
	ld s0, 96(sp)
	ld s1, 88(sp)
	ld s2, 80(sp)
	ld s3, 72(sp)
	ld s4, 64(sp)
	ld s5, 56(sp)
	ld s6, 48(sp)
	ld s7, 40(sp)
	ld s8, 32(sp)
	ld s9, 24(sp)
	ld s10, 16(sp)
	ld s11, 8(sp)
	addi sp, sp, 112
	ret
	.size main, .-main

	.bss
	.p2align 4
	.type a, %object
	.size a, 360000
a:
	.zero 360000
	.p2align 4
	.type b, %object
	.size b, 360000
b:
	.zero 360000
	.p2align 4
	.type c, %object
	.size c, 360000
c:
	.zero 360000
	.section .note.GNU-stack,"",%progbits
