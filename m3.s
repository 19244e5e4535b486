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
	bge zero, a0, .Lf2_13
	addiw a5, a0, -3
	lui a4, 73
	addiw a4, a4, 585
	slli a4, a4, 13
	addi a4, a4, 1171
	lla a3, a
	addi a2, zero, 0
.Lf2_2:
	bge zero, a5, .Lf2_8
	addi a1, zero, 0
	mv a6, a3
.Lf2_4:
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
	blt a1, a5, .Lf2_4
	blt a1, a0, .Lf2_9
	j .Lf2_11
.Lf2_8:
	addi a1, zero, 0
	mv a6, a3
.Lf2_9:
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
	blt a1, a0, .Lf2_9
.Lf2_11:
	addiw a2, a2, 1
	addi a3, a3, 1200
	blt a2, a0, .Lf2_2
.Lf2_13:
	bge zero, a0, .Lf2_26
	addiw a5, a0, -3
	lla a4, b
	addi a3, zero, 0
.Lf2_15:
	bge zero, a5, .Lf2_21
	addi a2, zero, 0
	mv a1, a4
.Lf2_17:
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
	blt a2, a5, .Lf2_17
	blt a2, a0, .Lf2_22
	j .Lf2_24
.Lf2_21:
	addi a2, zero, 0
	mv a1, a4
.Lf2_22:
	addw a6, a3, a2
	sw a6, 0(a1)
	addiw a2, a2, 1
	addi a1, a1, 4
	blt a2, a0, .Lf2_22
.Lf2_24:
	addiw a3, a3, 1
	addi a4, a4, 1200
	blt a3, a0, .Lf2_15
.Lf2_26:
	bge zero, a0, .Lf2_43
	lla a5, c
	mv a4, a0
	addi a3, zero, 1200
	mul a3, a0, a3
	add a5, a5, a3
	slli a4, a4, 2
	lla a3, b
	addi a2, zero, 1200
	lla a1, a
	addi a6, zero, 0
.Lf2_28:
	mulw a7, a6, a2
	add a7, a3, a7
	add t0, a7, a4
	addi t1, t0, -12
	lla t2, c
	mv t3, a1
	lw t4, 0(t3)
	beq t4, zero, .Lf2_39
	j .Lf2_30
.Lf2_36:
	mv s0, a7
	mv s1, t2
.Lf2_37:
	lw s2, 0(s1)
	lw s3, 0(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 0(s1)
	addi s1, s1, 4
	addi s0, s0, 4
	blt s0, t0, .Lf2_37
.Lf2_39:
	addi t3, t3, 1200
	addi t2, t2, 1200
	bge t2, a5, .Lf2_41
.Lf2_29:
	lw t4, 0(t3)
	beq t4, zero, .Lf2_39
.Lf2_30:
	bge a7, t1, .Lf2_36
	mv s0, a7
	mv s1, t2
.Lf2_32:
	lw s2, 0(s1)
	lw s3, 0(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 0(s1)
	lw s2, 4(s1)
	lw s3, 4(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 4(s1)
	lw s2, 8(s1)
	lw s3, 8(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 8(s1)
	lw s2, 12(s1)
	lw s3, 12(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 12(s1)
	addi s1, s1, 16
	addi s0, s0, 16
	blt s0, t1, .Lf2_32
	blt s0, t0, .Lf2_37
	j .Lf2_39
.Lf2_41:
	addiw a6, a6, 1
	addi a1, a1, 4
	blt a6, a0, .Lf2_28
.Lf2_43:
	bge zero, a0, .Lf2_60
	lla a5, a
	mv a4, a0
	addi a3, zero, 1200
	mul a3, a0, a3
	add a5, a5, a3
	slli a4, a4, 2
	lla a3, c
	addi a2, zero, 1200
	lla a1, b
	addi a6, zero, 0
.Lf2_45:
	mulw a7, a6, a2
	add a7, a3, a7
	add t0, a7, a4
	addi t1, t0, -12
	lla t2, a
	mv t3, a1
	lw t4, 0(t3)
	beq t4, zero, .Lf2_56
	j .Lf2_47
.Lf2_53:
	mv s0, a7
	mv s1, t2
.Lf2_54:
	lw s2, 0(s1)
	lw s3, 0(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 0(s1)
	addi s1, s1, 4
	addi s0, s0, 4
	blt s0, t0, .Lf2_54
.Lf2_56:
	addi t3, t3, 1200
	addi t2, t2, 1200
	bge t2, a5, .Lf2_58
.Lf2_46:
	lw t4, 0(t3)
	beq t4, zero, .Lf2_56
.Lf2_47:
	bge a7, t1, .Lf2_53
	mv s0, a7
	mv s1, t2
.Lf2_49:
	lw s2, 0(s1)
	lw s3, 0(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 0(s1)
	lw s2, 4(s1)
	lw s3, 4(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 4(s1)
	lw s2, 8(s1)
	lw s3, 8(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 8(s1)
	lw s2, 12(s1)
	lw s3, 12(s0)
	mulw s3, t4, s3
	addw s2, s2, s3
	sw s2, 12(s1)
	addi s1, s1, 16
	addi s0, s0, 16
	blt s0, t1, .Lf2_49
	blt s0, t0, .Lf2_54
	j .Lf2_56
.Lf2_58:
	addiw a6, a6, 1
	addi a1, a1, 4
	blt a6, a0, .Lf2_45
.Lf2_60:
	bge zero, a0, .Lf2_96
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
.Lf2_62:
	bge zero, a5, .Lf2_79
	mulw t0, a7, a6
	lla t1, c
	add t1, t1, t0
	lla t2, a
	add t0, t2, t0
	addi t2, zero, 0
	j .Lf2_64
.Lf2_71:
	mv s9, t0
.Lf2_72:
	lw s8, 0(s9)
	lw s10, 0(t3)
	mulw s10, s8, s10
	addw s0, s0, s10
	lw s10, 4(t3)
	mulw s10, s8, s10
	addw s2, s2, s10
	lw s10, 8(t3)
	mulw s10, s8, s10
	addw s4, s4, s10
	lw s10, 12(t3)
	mulw s8, s8, s10
	addw s6, s6, s8
	addi s9, s9, 4
	addi t3, t3, 1200
	blt t3, s7, .Lf2_72
.Lf2_75:
	sw s0, 0(t4)
	sw s2, 0(s1)
	sw s4, 0(s3)
	sw s6, 0(s5)
	bge t2, a5, .Lf2_77
.Lf2_64:
	slliw t3, t2, 2
	add t4, t1, t3
	lw s0, 0(t4)
	addiw s1, t2, 1
	slliw s1, s1, 2
	add s1, t1, s1
	lw s2, 0(s1)
	addiw s3, t2, 2
	slliw s3, s3, 2
	add s3, t1, s3
	lw s4, 0(s3)
	addiw s5, t2, 3
	slliw s5, s5, 2
	add s5, t1, s5
	lw s6, 0(s5)
	addiw t2, t2, 4
	add t3, a1, t3
	add s7, t3, a4
	addi s8, s7, -1200
	bge t3, s8, .Lf2_71
	mv s9, t0
.Lf2_66:
	lw s10, 0(s9)
	lw s11, 0(t3)
	mulw s11, s10, s11
	addw s0, s0, s11
	lw s11, 4(t3)
	mulw s11, s10, s11
	addw s2, s2, s11
	lw s11, 8(t3)
	mulw s11, s10, s11
	addw s4, s4, s11
	lw s11, 12(t3)
	mulw s10, s10, s11
	addw s6, s6, s10
	lw s10, 4(s9)
	lw s11, 1200(t3)
	mulw s11, s10, s11
	addw s0, s0, s11
	lw s11, 1204(t3)
	mulw s11, s10, s11
	addw s2, s2, s11
	lw s11, 1208(t3)
	mulw s11, s10, s11
	addw s4, s4, s11
	lw s11, 1212(t3)
	mulw s10, s10, s11
	addw s6, s6, s10
	addi s9, s9, 8
	add t3, t3, a2
	blt t3, s8, .Lf2_66
	blt t3, s7, .Lf2_72
	j .Lf2_75
.Lf2_77:
	blt t2, a0, .Lf2_80
	j .Lf2_94
.Lf2_79:
	addi t2, zero, 0
.Lf2_80:
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
.Lf2_81:
	lw t4, 0(t3)
	add s0, t1, a3
	addi s1, s0, -1200
	bge t1, s1, .Lf2_88
	mv s2, t1
	mv s3, t0
.Lf2_83:
	lw s4, 0(s3)
	lw s5, 0(s2)
	mulw s4, s4, s5
	addw t4, t4, s4
	lw s4, 4(s3)
	lw s5, 1200(s2)
	mulw s4, s4, s5
	addw t4, t4, s4
	addi s3, s3, 8
	add s2, s2, a2
	blt s2, s1, .Lf2_83
	blt s2, s0, .Lf2_89
	j .Lf2_92
.Lf2_88:
	mv s2, t1
	mv s3, t0
.Lf2_89:
	lw s1, 0(s3)
	lw s4, 0(s2)
	mulw s1, s1, s4
	addw t4, t4, s1
	addi s3, s3, 4
	addi s2, s2, 1200
	blt s2, s0, .Lf2_89
.Lf2_92:
	sw t4, 0(t3)
	addi t3, t3, 4
	addi t1, t1, 4
	blt t1, t2, .Lf2_81
.Lf2_94:
	addiw a7, a7, 1
	blt a7, a0, .Lf2_62
.Lf2_96:
	bge zero, a0, .Lf2_132
	addiw a5, a0, -3
	addi a4, zero, 1200
	mul a4, a0, a4
	sd a0, 0(sp)
	addi a3, zero, 1200
	mul a3, a0, a3
	lui a2, 1
	addiw a2, a2, -1696
	lla a1, a
	addi a6, zero, 1200
	addi a7, zero, 0
.Lf2_98:
	bge zero, a5, .Lf2_115
	mulw t0, a7, a6
	lla t1, b
	add t1, t1, t0
	lla t2, c
	add t0, t2, t0
	addi t2, zero, 0
	j .Lf2_100
.Lf2_107:
	mv s9, t0
.Lf2_108:
	lw s8, 0(s9)
	lw s10, 0(t3)
	mulw s10, s8, s10
	addw s0, s0, s10
	lw s10, 4(t3)
	mulw s10, s8, s10
	addw s2, s2, s10
	lw s10, 8(t3)
	mulw s10, s8, s10
	addw s4, s4, s10
	lw s10, 12(t3)
	mulw s8, s8, s10
	addw s6, s6, s8
	addi s9, s9, 4
	addi t3, t3, 1200
	blt t3, s7, .Lf2_108
.Lf2_111:
	sw s0, 0(t4)
	sw s2, 0(s1)
	sw s4, 0(s3)
	sw s6, 0(s5)
	bge t2, a5, .Lf2_113
.Lf2_100:
	slliw t3, t2, 2
	add t4, t1, t3
	lw s0, 0(t4)
	addiw s1, t2, 1
	slliw s1, s1, 2
	add s1, t1, s1
	lw s2, 0(s1)
	addiw s3, t2, 2
	slliw s3, s3, 2
	add s3, t1, s3
	lw s4, 0(s3)
	addiw s5, t2, 3
	slliw s5, s5, 2
	add s5, t1, s5
	lw s6, 0(s5)
	addiw t2, t2, 4
	add t3, a1, t3
	add s7, t3, a4
	addi s8, s7, -1200
	bge t3, s8, .Lf2_107
	mv s9, t0
.Lf2_102:
	lw s10, 0(s9)
	lw s11, 0(t3)
	mulw s11, s10, s11
	addw s0, s0, s11
	lw s11, 4(t3)
	mulw s11, s10, s11
	addw s2, s2, s11
	lw s11, 8(t3)
	mulw s11, s10, s11
	addw s4, s4, s11
	lw s11, 12(t3)
	mulw s10, s10, s11
	addw s6, s6, s10
	lw s10, 4(s9)
	lw s11, 1200(t3)
	mulw s11, s10, s11
	addw s0, s0, s11
	lw s11, 1204(t3)
	mulw s11, s10, s11
	addw s2, s2, s11
	lw s11, 1208(t3)
	mulw s11, s10, s11
	addw s4, s4, s11
	lw s11, 1212(t3)
	mulw s10, s10, s11
	addw s6, s6, s10
	addi s9, s9, 8
	add t3, t3, a2
	blt t3, s8, .Lf2_102
	blt t3, s7, .Lf2_108
	j .Lf2_111
.Lf2_113:
	blt t2, a0, .Lf2_116
	j .Lf2_130
.Lf2_115:
	addi t2, zero, 0
.Lf2_116:
	mulw t0, a7, a6
	slliw t1, t2, 2
	lla t3, b
	add t3, t3, t1
	add t3, t3, t0
	add t1, a1, t1
	ld t4, 0(sp)
	sub t2, t4, t2
	slli t2, t2, 2
	add t2, t1, t2
	lla t4, c
	add t0, t4, t0
.Lf2_117:
	lw t4, 0(t3)
	add s0, t1, a3
	addi s1, s0, -1200
	bge t1, s1, .Lf2_124
	mv s2, t1
	mv s3, t0
.Lf2_119:
	lw s4, 0(s3)
	lw s5, 0(s2)
	mulw s4, s4, s5
	addw t4, t4, s4
	lw s4, 4(s3)
	lw s5, 1200(s2)
	mulw s4, s4, s5
	addw t4, t4, s4
	addi s3, s3, 8
	add s2, s2, a2
	blt s2, s1, .Lf2_119
	blt s2, s0, .Lf2_125
	j .Lf2_128
.Lf2_124:
	mv s2, t1
	mv s3, t0
.Lf2_125:
	lw s1, 0(s3)
	lw s4, 0(s2)
	mulw s1, s1, s4
	addw t4, t4, s1
	addi s3, s3, 4
	addi s2, s2, 1200
	blt s2, s0, .Lf2_125
.Lf2_128:
	sw t4, 0(t3)
	addi t3, t3, 4
	addi t1, t1, 4
	blt t1, t2, .Lf2_117
.Lf2_130:
	addiw a7, a7, 1
	blt a7, a0, .Lf2_98
.Lf2_132:
	lla a5, c
	srliw a4, a0, 31
	addw a4, a0, a4
	sraiw a4, a4, 1
	addi a3, zero, 1200
	mulw a3, a4, a3
	slliw a4, a4, 2
	add a5, a5, a4
	add a5, a5, a3
	lw a5, 0(a5)
	lw a4, b+1208
	addw a0, a5, a4
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
