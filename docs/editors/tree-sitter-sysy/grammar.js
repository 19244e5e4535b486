// SysY for tree-sitter (Helix, Neovim, Zed): the grammar of docs/language.md, with tensors and the dialect. `tensor`, `for`, `do`
// and `extern` are words where they can stand, and names elsewhere. `tree-sitter generate --abi 14` makes src/ of it.

const list = rule => optional(list1(rule));
const list1 = rule => seq(rule, repeat(seq(',', rule)));

const OR = 1, AND = 2, EQUAL = 3, ORDER = 4, SUM = 5, PRODUCT = 6, UNARY = 7, CALL = 8;

module.exports = grammar({
  name: 'sysy',

  word: $ => $.identifier,
  extras: $ => [/\s/, $.comment],
  supertypes: $ => [$.statement, $.expression],
  inline: $ => [$.statement_or_declaration],
  conflicts: $ => [],

  rules: {
    source_file: $ => repeat(choice($.declaration, $.function_definition, $.prototype, ';')),

    type: $ => seq(optional('tensor'), choice('int', 'float')),
    declaration: $ => seq(optional('extern'), optional('const'), field('type', $.type), list1($.definition), ';'),
    definition: $ => seq(field('name', $.identifier), repeat($.dimension), optional(seq('=', field('value', $._initialiser)))),
    dimension: $ => seq('[', optional($.expression), ']'),
    _initialiser: $ => choice($.expression, $.initialiser_list),
    initialiser_list: $ => seq('{', list($._initialiser), optional(','), '}'),

    _head: $ => seq(
      optional('extern'), field('type', choice('void', $.type)), field('name', $.identifier), field('parameters', $.parameters)),
    function_definition: $ => seq($._head, field('body', $.block)),
    prototype: $ => seq($._head, ';'),
    parameters: $ => seq('(', choice(list($.parameter), 'void'), ')'),
    parameter: $ => seq(optional('const'), field('type', $.type), optional(field('name', $.identifier)), repeat($.dimension)),

    block: $ => seq('{', repeat($.statement_or_declaration), '}'),
    statement_or_declaration: $ => choice($.declaration, $.statement),
    statement: $ => choice(
      $.block, $.if_statement, $.while_statement, $.for_statement, $.do_statement, $.break_statement, $.continue_statement,
      $.return_statement, $.assignment_statement, $.expression_statement, $.empty_statement),

    if_statement: $ => prec.right(seq(
      'if', '(', field('condition', $.expression), ')', field('then', $.statement), optional(seq('else', field('else', $.statement))))),
    while_statement: $ => seq('while', '(', field('condition', $.expression), ')', field('body', $.statement)),
    do_statement: $ => seq('do', field('body', $.statement), 'while', '(', field('condition', $.expression), ')', ';'),
    for_statement: $ => seq(
      'for', '(', choice($.declaration, seq(list($._step), ';')), optional(field('condition', $.expression)), ';',
      list($._step), ')', field('body', $.statement)),
    _step: $ => choice($.assignment, $.expression),
    break_statement: _ => seq('break', ';'),
    continue_statement: _ => seq('continue', ';'),
    return_statement: $ => seq('return', optional(choice($.expression, $.initialiser_list)), ';'),
    assignment_statement: $ => seq($.assignment, ';'),
    expression_statement: $ => seq($.expression, ';'),
    empty_statement: _ => ';',

    assignment: $ => choice(
      seq(field('left', $.lvalue), field('operator', choice('=', '+=', '-=', '*=', '/=', '%=', '@=')), field('right', $.expression)),
      seq(choice('++', '--'), $.lvalue),
      seq($.lvalue, choice('++', '--'))),
    lvalue: $ => prec.right(CALL, seq($.identifier, repeat(seq('[', $.expression, ']')))),

    expression: $ => choice($.binary_expression, $.unary_expression, $.call, $.parenthesized, $.lvalue, $.number, $.string),
    binary_expression: $ => choice(...[
      [OR, ['||']], [AND, ['&&']], [EQUAL, ['==', '!=']], [ORDER, ['<', '>', '<=', '>=']], [SUM, ['+', '-']], [PRODUCT, ['*', '/', '%', '@']],
    ].map(([level, words]) => prec.left(level, seq(
      field('left', $.expression), field('operator', words.length > 1 ? choice(...words) : words[0]), field('right', $.expression))))),
    unary_expression: $ => prec(UNARY, seq(field('operator', choice('+', '-', '!')), field('operand', $.expression))),
    call: $ => prec(CALL + 1, seq(field('function', $.identifier), field('arguments', $.arguments))),
    arguments: $ => seq('(', list($.expression), ')'),
    parenthesized: $ => seq('(', $.expression, ')'),

    identifier: _ => /[A-Za-z_][A-Za-z_0-9]*/,
    number: _ => token(choice(
      /0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][-+]?[0-9]+/, /0[xX][0-9a-fA-F]+/,
      /([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?/, /[0-9]+[eE][-+]?[0-9]+/, /[0-9]+/)),
    string: $ => seq('"', repeat(choice($.escape, $.format, token.immediate(prec(1, /[^"\\\n%]+/)), token.immediate('%'))), '"'),
    escape: _ => token.immediate(/\\./),
    format: _ => token.immediate(prec(2, /%[-+ 0#]*[0-9]*(\.[0-9]+)?[a-zA-Z%]/)),
    comment: _ => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
