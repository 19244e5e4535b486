" Vim and Neovim syntax file: SysY
if exists('b:current_syntax')
  finish
endif
syn keyword sysyType int float void
syn match sysyType "\<tensor\>\ze\s\+\(int\|float\)\>"
syn keyword sysyStorage const
syn keyword sysyConditional if else
syn keyword sysyRepeat while for do
syn keyword sysyStatement break continue return
syn keyword sysyLibrary getint getch getfloat getarray getfarray putint putch putfloat putarray putfarray putf
syn keyword sysyLibrary starttime stoptime _sysy_starttime _sysy_stoptime
syn match sysyNumber "\<\(0[xX]\x\+\|\d\+\)\>"
syn match sysyFloat "\<\d\+\.\d*\([eE][-+]\?\d\+\)\?\|\.\d\+\([eE][-+]\?\d\+\)\?\|\<\d\+[eE][-+]\?\d\+"
syn match sysyFloat "\<0[xX]\x*\.\?\x*[pP][-+]\?\d\+"
syn region sysyString start=+"+ skip=+\\"+ end=+"\|$+
syn match sysyComment "//.*$"
syn region sysyComment start="/\*" end="\*/"
hi def link sysyType Type
hi def link sysyStorage StorageClass
hi def link sysyConditional Conditional
hi def link sysyRepeat Repeat
hi def link sysyStatement Statement
hi def link sysyLibrary Function
hi def link sysyNumber Number
hi def link sysyFloat Float
hi def link sysyString String
hi def link sysyComment Comment
let b:current_syntax = 'sysy'
