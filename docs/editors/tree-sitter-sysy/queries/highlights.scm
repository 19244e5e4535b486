; Colours: the names are those of tree-sitter's own highlighter, which Helix, Neovim and Zed share.
(comment) @comment
(number) @number
(string) @string
(escape) @string.escape
(format) @string.special

(identifier) @variable
(parameter name: (identifier) @variable.parameter)
(function_definition name: (identifier) @function)
(prototype name: (identifier) @function)
(call function: (identifier) @function.call)
((call function: (identifier) @function.builtin)
  (#match? @function.builtin "^(getint|getch|getfloat|getarray|getfarray|putint|putch|putfloat|putarray|putfarray|putf|starttime|stoptime|_sysy_starttime|_sysy_stoptime)$"))

["int" "float" "void" "tensor"] @type.builtin
["const" "extern"] @keyword
["if" "else"] @keyword.conditional
["while" "for" "do" "break" "continue"] @keyword.repeat
"return" @keyword.return

["+" "-" "*" "/" "%" "@" "!" "=" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "+=" "-=" "*=" "/=" "%=" "@=" "++" "--"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
