	.option nopic
	.attribute arch, "rv64gc"
	.text
	.p2align 2
	.globl main
	.type main, %function
main:
	addi sp, sp, -144
	sd ra, 136(sp)
	sd s0, 128(sp)
	sd s1, 120(sp)
	sd s2, 112(sp)
	sd s3, 104(sp)
	sd s4, 96(sp)
	sd s5, 88(sp)
	sd s6, 80(sp)
	sd s7, 72(sp)
	sd s8, 64(sp)
	sd s9, 56(sp)
	sd s10, 48(sp)
	sd s11, 40(sp)
	call getint
	sw a0, 16(sp)
	call getint
	mv s0, a0
	call getint
	mv s1, a0
	lw a5, 16(sp)
	bge zero, a5, .Lf0_14
	bge zero, s0, .Lf0_14
	addiw a5, s0, -3
	lui a4, 73
	addiw a4, a4, 585
	slli a4, a4, 13
	addi a4, a4, 1171
	lla a3, a
	addi a2, zero, 0
	lw a1, 16(sp)
.Lf0_3:
	bge zero, a5, .Lf0_9
	addi a0, zero, 0
	mv a6, a3
.Lf0_5:
	mulw a7, a2, a0
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 0(a6)
	addiw a7, a0, 1
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 4(a6)
	addiw a7, a0, 2
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 8(a6)
	addiw a7, a0, 3
	mulw a7, a2, a7
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 12(a6)
	addiw a0, a0, 4
	addi a6, a6, 16
	blt a0, a5, .Lf0_5
	blt a0, s0, .Lf0_10
	j .Lf0_12
.Lf0_9:
	addi a0, zero, 0
	mv a6, a3
.Lf0_10:
	mulw a7, a2, a0
	mul t0, a7, a4
	srai t0, t0, 34
	sraiw t1, a7, 31
	subw t0, t0, t1
	slliw t1, t0, 3
	subw t0, t1, t0
	subw a7, a7, t0
	sw a7, 0(a6)
	addiw a0, a0, 1
	addi a6, a6, 4
	blt a0, s0, .Lf0_10
.Lf0_12:
	addiw a2, a2, 1
	addi a3, a3, 1200
	blt a2, a1, .Lf0_3
.Lf0_14:
	bge zero, s0, .Lf0_28
	bge zero, s1, .Lf0_28
	addiw a5, s1, -3
	lla a4, b
	addi a3, zero, 0
.Lf0_17:
	bge zero, a5, .Lf0_23
	addi a2, zero, 0
	mv a1, a4
.Lf0_19:
	addw a0, a3, a2
	sw a0, 0(a1)
	addiw a0, a2, 1
	addw a0, a3, a0
	sw a0, 4(a1)
	addiw a0, a2, 2
	addw a0, a3, a0
	sw a0, 8(a1)
	addiw a0, a2, 3
	addw a0, a3, a0
	sw a0, 12(a1)
	addiw a2, a2, 4
	addi a1, a1, 16
	blt a2, a5, .Lf0_19
	blt a2, s1, .Lf0_24
	j .Lf0_26
.Lf0_23:
	addi a2, zero, 0
	mv a1, a4
.Lf0_24:
	addw a0, a3, a2
	sw a0, 0(a1)
	addiw a2, a2, 1
	addi a1, a1, 4
	blt a2, s1, .Lf0_24
.Lf0_26:
	addiw a3, a3, 1
	addi a4, a4, 1200
	blt a3, s0, .Lf0_17
.Lf0_28:
	lw a5, 16(sp)
	bge zero, a5, .Lf0_77
	addiw s2, s1, -3
	addi a5, zero, 1200
	mul s3, s0, a5
	sd s1, 0(sp)
	addi a5, zero, 1200
	mul s4, s0, a5
	slliw a5, s1, 2
	sw a5, 20(sp)
	mv a5, s1
	slli a5, a5, 2
	sd a5, 8(sp)
	lla s5, b
	lla s6, c
	addi a5, zero, 0
	sw a5, 24(sp)
	j .Lf0_30
.Lf0_58:
	addi a7, zero, 0
	mv t0, a4
	mv t1, a5
.Lf0_59:
	lw a6, 0(t1)
	lw t2, 0(t0)
	mulw a6, a6, t2
	addw a7, a7, a6
	addi t1, t1, 4
	addi t0, t0, 1200
	blt t0, a0, .Lf0_59
.Lf0_62:
	sw a7, 0(a3)
	addi a3, a3, 4
	addi a4, a4, 4
	blt a4, a2, .Lf0_51
.Lf0_75:
	lw a5, 24(sp)
	addiw a5, a5, 1
	addi s6, s6, 1200
	lw a4, 16(sp)
	bge a5, a4, .Lf0_77
.Lf0_76:
	sw a5, 24(sp)
.Lf0_30:
	bge zero, s1, .Lf0_75
	bge zero, s0, .Lf0_64
	bge zero, s2, .Lf0_49
	addi a5, zero, 1200
	lw a4, 24(sp)
	mulw a5, a4, a5
	lla a4, a
	add a4, a4, a5
	lla a3, c
	add a5, a3, a5
	lui a3, 1
	addiw a3, a3, -1696
	addi a2, zero, 0
	addiw a1, a2, 1
	addiw a0, a2, 2
	addiw a6, a2, 3
	slliw a7, a2, 2
	add t0, s5, a7
	add t1, t0, s3
	addi t2, t1, -1200
	blt t0, t2, .Lf0_35
	j .Lf0_41
.Lf0_49:
	addi a2, zero, 0
.Lf0_50:
	addi a5, zero, 1200
	lw a4, 24(sp)
	mulw a5, a4, a5
	slliw a4, a2, 2
	lla a3, c
	add a3, a3, a4
	add a3, a3, a5
	add a4, s5, a4
	ld a1, 0(sp)
	sub a2, a1, a2
	slli a2, a2, 2
	add a2, a4, a2
	lla a1, a
	add a5, a1, a5
	lui a1, 1
	addiw a1, a1, -1696
.Lf0_51:
	add a0, a4, s4
	addi a6, a0, -1200
	bge a4, a6, .Lf0_58
	addi a7, zero, 0
	mv t0, a4
	mv t1, a5
.Lf0_53:
	lw t2, 0(t1)
	lw t3, 0(t0)
	mulw t2, t2, t3
	addw a7, a7, t2
	lw t2, 4(t1)
	lw t3, 1200(t0)
	mulw t2, t2, t3
	addw a7, a7, t2
	addi t1, t1, 8
	add t0, t0, a1
	blt t0, a6, .Lf0_53
	blt t0, a0, .Lf0_59
	j .Lf0_62
.Lf0_41:
	addi t3, zero, 0
	addi t4, zero, 0
	addi s7, zero, 0
	addi s8, zero, 0
	mv s9, a4
.Lf0_42:
	lw t2, 0(s9)
	lw s10, 0(t0)
	mulw s10, t2, s10
	addw s8, s8, s10
	lw s10, 4(t0)
	mulw s10, t2, s10
	addw s7, s7, s10
	lw s10, 8(t0)
	mulw s10, t2, s10
	addw t4, t4, s10
	lw s10, 12(t0)
	mulw t2, t2, s10
	addw t3, t3, t2
	addi s9, s9, 4
	addi t0, t0, 1200
	blt t0, t1, .Lf0_42
.Lf0_45:
	add a7, a5, a7
	sw s8, 0(a7)
	slliw a1, a1, 2
	add a1, a5, a1
	sw s7, 0(a1)
	slliw a1, a0, 2
	add a1, a5, a1
	sw t4, 0(a1)
	slliw a1, a6, 2
	add a1, a5, a1
	sw t3, 0(a1)
	addiw a2, a2, 4
	bge a2, s2, .Lf0_47
.Lf0_34:
	addiw a1, a2, 1
	addiw a0, a2, 2
	addiw a6, a2, 3
	slliw a7, a2, 2
	add t0, s5, a7
	add t1, t0, s3
	addi t2, t1, -1200
	bge t0, t2, .Lf0_41
.Lf0_35:
	addi t3, zero, 0
	addi t4, zero, 0
	addi s7, zero, 0
	addi s8, zero, 0
	mv s9, a4
.Lf0_36:
	lw s10, 0(s9)
	lw s11, 0(t0)
	mulw s11, s10, s11
	addw s8, s8, s11
	lw s11, 4(t0)
	mulw s11, s10, s11
	addw s7, s7, s11
	lw s11, 8(t0)
	mulw s11, s10, s11
	addw t4, t4, s11
	lw s11, 12(t0)
	mulw s10, s10, s11
	addw t3, t3, s10
	lw s10, 4(s9)
	lw s11, 1200(t0)
	mulw s11, s10, s11
	addw s8, s8, s11
	lw s11, 1204(t0)
	mulw s11, s10, s11
	addw s7, s7, s11
	lw s11, 1208(t0)
	mulw s11, s10, s11
	addw t4, t4, s11
	lw s11, 1212(t0)
	mulw s10, s10, s11
	addw t3, t3, s10
	addi s9, s9, 8
	add t0, t0, a3
	blt t0, t2, .Lf0_36
	blt t0, t1, .Lf0_42
	j .Lf0_45
.Lf0_47:
	blt a2, s1, .Lf0_50
	j .Lf0_75
.Lf0_64:
	addi a5, zero, 31
	bgeu a5, s1, .Lf0_66
	lw a5, 20(sp)
	slli a5, a5, 32
	srli a2, a5, 32
	addi a1, zero, 0
	mv a0, s6
	call memset
	lw a5, 24(sp)
	addiw a5, a5, 1
	addi s6, s6, 1200
	lw a4, 16(sp)
	blt a5, a4, .Lf0_76
	j .Lf0_77
.Lf0_66:
	ld a5, 8(sp)
	add a5, s6, a5
	addi a4, a5, -12
	bge s6, a4, .Lf0_72
	mv a3, s6
.Lf0_68:
	sw zero, 0(a3)
	sw zero, 4(a3)
	sw zero, 8(a3)
	sw zero, 12(a3)
	addi a3, a3, 16
	blt a3, a4, .Lf0_68
	blt a3, a5, .Lf0_73
	j .Lf0_75
.Lf0_72:
	mv a3, s6
.Lf0_73:
	sw zero, 0(a3)
	addi a3, a3, 4
	blt a3, a5, .Lf0_73
	j .Lf0_75
.Lf0_77:
	lla a5, c
	lw a4, 16(sp)
	srliw a3, a4, 31
	addw a4, a4, a3
	sraiw a4, a4, 1
	srliw a3, s1, 31
	addw a3, s1, a3
	sraiw a3, a3, 1
	addi a2, zero, 1200
	mulw a4, a4, a2
	slliw a3, a3, 2
	add a5, a5, a3
	add a5, a5, a4
	lw a0, 0(a5)
	call putint
	addi a0, zero, 0
	ld ra, 136(sp)
	ld s0, 128(sp)
	ld s1, 120(sp)
	ld s2, 112(sp)
	ld s3, 104(sp)
	ld s4, 96(sp)
	ld s5, 88(sp)
	ld s6, 80(sp)
	ld s7, 72(sp)
	ld s8, 64(sp)
	ld s9, 56(sp)
	ld s10, 48(sp)
	ld s11, 40(sp)
	addi sp, sp, 144
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
