/* Lets a C or C++ compiler take a SysY program: the runtime's declarations, and C's words as plain names. */
#include "../../runtime/sylib.h"

#undef linux
#undef unix
/* Words that a program in the dialect has as C has them. */
#ifndef SYSY_DIALECT
#define do sysy_do
#define extern sysy_extern
#define for sysy_for
#endif
#define auto sysy_auto
#define case sysy_case
#define char sysy_char
#define default sysy_default
#define double sysy_double
#define enum sysy_enum
#define goto sysy_goto
#define long sysy_long
#define register sysy_register
#define restrict sysy_restrict
#define short sysy_short
#define signed sysy_signed
#define sizeof sysy_sizeof
#define static sysy_static
#define struct sysy_struct
#define switch sysy_switch
#define typedef sysy_typedef
#define union sysy_union
#define unsigned sysy_unsigned
#define volatile sysy_volatile
#define inline sysy_inline
#define asm sysy_asm
#define typeof sysy_typeof
#ifdef __cplusplus
/* The operator names (and, or, ...) cannot be macros; -fno-operator-names makes them plain. */
#define alignas sysy_alignas
#define alignof sysy_alignof
#define bool sysy_bool
#define catch sysy_catch
#define char8_t sysy_char8_t
#define char16_t sysy_char16_t
#define char32_t sysy_char32_t
#define class sysy_class
#define decltype sysy_decltype
#define delete sysy_delete
#define dynamic_cast sysy_dynamic_cast
#define explicit sysy_explicit
#define export sysy_export
#define false sysy_false
#define friend sysy_friend
#define mutable sysy_mutable
#define namespace sysy_namespace
#define new sysy_new
#define noexcept sysy_noexcept
#define nullptr sysy_nullptr
#define operator sysy_operator
#define private sysy_private
#define protected sysy_protected
#define public sysy_public
#define reinterpret_cast sysy_reinterpret_cast
#define static_assert sysy_static_assert
#define static_cast sysy_static_cast
#define template sysy_template
#define this sysy_this
#define thread_local sysy_thread_local
#define throw sysy_throw
#define true sysy_true
#define try sysy_try
#define typeid sysy_typeid
#define typename sysy_typename
#define using sysy_using
#define virtual sysy_virtual
#define wchar_t sysy_wchar_t
#endif
