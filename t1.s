	.option nopic
	.attribute arch, "rv64gc"
	.text
	.p2align 2
	.globl main
	.type main, %function
main:
	addi sp, sp, -64
	sd ra, 56(sp)
	sd s0, 48(sp)
	sd s1, 40(sp)
	sd s2, 32(sp)
	sd s3, 24(sp)
	sd s4, 16(sp)
	sd s5, 8(sp)
	call getint
	mv s0, a0
	addiw a5, s0, -1
	addi a4, zero, 1
	bge a4, a5, .Lf0_15
	lla s1, b+1204
	addi a5, a5, -1
	addi a4, zero, 1200
	mul a4, a5, a4
	lla a3, b+1204
	add s2, a3, a4
	addiw s3, s0, -2
	slliw s4, s3, 2
	slli s5, a5, 2
.Lf0_2:
	addi a5, zero, 31
	bgeu a5, s3, .Lf0_4
	slli a5, s4, 32
	srli a2, a5, 32
	addi a1, zero, 0
	mv a0, s1
	call memset
	addi s1, s1, 1200
	blt s1, s2, .Lf0_2
	j .Lf0_15
.Lf0_10:
	mv a3, s1
.Lf0_11:
	sw zero, 0(a3)
	addi a3, a3, 4
	blt a3, a5, .Lf0_11
.Lf0_13:
	addi s1, s1, 1200
	blt s1, s2, .Lf0_2
.Lf0_15:
	lla a5, b
	srliw a4, s0, 31
	addw a4, s0, a4
	sraiw a4, a4, 1
	addi a3, zero, 1200
	mulw a3, a4, a3
	slliw a4, a4, 2
	add a5, a5, a4
	add a5, a5, a3
	lw a0, 0(a5)
	call putint
	addi a0, zero, 0
	ld ra, 56(sp)
	ld s0, 48(sp)
	ld s1, 40(sp)
	ld s2, 32(sp)
	ld s3, 24(sp)
	ld s4, 16(sp)
	ld s5, 8(sp)
	addi sp, sp, 64
	ret
.Lf0_4:
	add a5, s1, s5
	addi a4, a5, -12
	bge s1, a4, .Lf0_10
	mv a3, s1
.Lf0_6:
	sw zero, 0(a3)
	sw zero, 4(a3)
	sw zero, 8(a3)
	sw zero, 12(a3)
	addi a3, a3, 16
	blt a3, a4, .Lf0_6
	blt a3, a5, .Lf0_11
	j .Lf0_13
	.size main, .-main

	.bss
	.p2align 4
	.type b, %object
	.size b, 360000
b:
	.zero 360000
	.section .note.GNU-stack,"",%progbits
