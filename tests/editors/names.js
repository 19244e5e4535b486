// What the grammar of tree-sitter names, beside what the parser that was made of it does: names that only the grammar has (+), names
// that only the parser has (-), and the grammar's words. The functions of tree-sitter's command stand for what they make.
const used = { literals: new Set(), fields: new Set() };
const walk = x => {
  if (typeof x === 'string') used.literals.add(x);
  else if (x && x.parts) x.parts.forEach(walk);
};
const node = (...parts) => ({ parts });
for (const name of ['seq', 'choice', 'optional', 'repeat', 'repeat1']) global[name] = node;
// What is one token has no names inside.
global.token = Object.assign(() => ({}), { immediate: () => ({}) });
const last = (...all) => all[all.length - 1];
global.prec = Object.assign(last, { left: last, right: last, dynamic: last });
global.field = (name, x) => { used.fields.add(name); return x; };
global.alias = (x, y) => node(x, y);
global.grammar = g => g;
const path = require('path').resolve(process.argv[2]);
const g = require(path + '/grammar.js');
const $ = new Proxy({}, { get: (_, name) => ({ rule: name }) });
const hidden = new Set(g.inline($).map(x => x.rule));
Object.values(g.rules).forEach(rule => walk(rule($)));
const names = [...used.literals, ...Object.keys(g.rules).filter(name => !hidden.has(name))].sort();
const text = require('fs').readFileSync(path + '/src/parser.c', 'utf8');
const table = name => [...text.split(name + '[] = {')[1].split('\n};')[0].matchAll(/\] = "((?:[^"\\]|\\.)*)"/g)].map(m => JSON.parse('"' + m[1].replace(/\\\?/g, '?') + '"'));
const have = table('ts_symbol_names').filter(name => name !== 'end' && !/_(repeat|token)\d$/.test(name)).sort();
const differs = (a, b) => a.filter(x => !b.includes(x));
const fields = table('ts_field_names');
console.log([...differs(names, have), ...differs([...used.fields], fields)].map(name => '+' + name).join(' '));
console.log([...differs(have, names), ...differs(fields, [...used.fields])].map(name => '-' + name).join(' '));
console.log([...used.literals].filter(name => /^[a-z]/.test(name)).sort().join(' '));
