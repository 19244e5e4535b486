	.syntax unified
	.arch armv7-a
	.arch_extension idiv
	.fpu vfpv3-d16
	.arm
	.eabi_attribute 28, 1
	.cfi_sections .debug_frame
	.file 0 "/work/main" "few.ll"
	.file 1 "/work/main" "few.ll"
	.p2align 2
	.globl f
	.type f, %function
f:
	.cfi_startproc
	push {r4, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset r4, -8
	.cfi_offset lr, -4
	cmp r0, #24
	bcs .Lf1_48
	add pc, pc, r0, lsl #2
	nop
	b .Lf1_2
	b .Lf1_4
	b .Lf1_6
	b .Lf1_8
	b .Lf1_10
	b .Lf1_12
	b .Lf1_14
	b .Lf1_16
	b .Lf1_18
	b .Lf1_20
	b .Lf1_22
	b .Lf1_24
	b .Lf1_26
	b .Lf1_28
	b .Lf1_30
	b .Lf1_32
	b .Lf1_34
	b .Lf1_36
	b .Lf1_38
	b .Lf1_40
	b .Lf1_42
	b .Lf1_44
	b .Lf1_46
	b .Lf1_47
.Lf1_2:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_4:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_6:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_8:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_10:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_12:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_14:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_16:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_18:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_20:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_22:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_24:
	mov r0, #7
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_26:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_28:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_30:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_32:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_34:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_36:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_38:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_40:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_42:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_44:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_46:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_47:
	mov r0, #9
	bl putint
	mov r0, #1
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
.Lf1_48:
	mvn r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
	.cfi_endproc
	.size f, .-f

	.p2align 2
	.globl main
	.type main, %function
main:
	.cfi_startproc
	push {r4, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset r4, -8
	.cfi_offset lr, -4
	mov r0, #7
	bl putint
	mov r0, #0
	bl putint
	mov r0, #7
	bl putint
	mov r0, #0
	bl putint
	mov r0, #9
	bl putint
	mov r0, #1
	bl putint
	mov r0, #9
	bl putint
	mov r0, #1
	bl putint
	mvn r0, #0
	bl putint
	mvn r0, #0
	bl putint
	mov r0, #0
	.cfi_remember_state
	pop {r4, pc}
	.cfi_restore_state
	.cfi_endproc
	.size main, .-main

	.section .debug_abbrev,"",%progbits
.L1:
	.byte 1,17,1,37,8,19,15,3,8,27,8,17,1,18,15,0
	.byte 0,2,46,0,3,8,63,25,39,25,17,1,18,15,64,24
	.byte 0,0,0
	.section .debug_info,"",%progbits
.L2:
	.byte 71,0,0,0,5,0,1,4
	.4byte .L1
	.byte 1,115,121,115,121,99,32,48,46,50,46,48,0,12,102,101
	.byte 119,46,108,108,0,47,119,111,114,107,47,109,97,105,110,0
	.4byte .text
	.byte 216,4,2,102,0
	.4byte .text
	.byte 252,3,1,156,2,109,97,105,110,0
	.4byte .text+508
	.byte 92,1,156,0
	.section .note.GNU-stack,"",%progbits
