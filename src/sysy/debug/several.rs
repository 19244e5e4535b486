//! What several sources of one program tell debuggers: offsets and types as of one source, whose lines go on from one file to the
//! next. O(rows).

use super::{Facts, FunctionFact, VariableFact};
use crate::base::Column;
use crate::object::debug::Type;

impl Facts {
    /// Those of several sources, each with the offset of its first byte among all and the line on which it begins.
    pub fn joined(parts: impl IntoIterator<Item = (Facts, u32, u32)>) -> Facts {
        let mut all = Facts::default();
        for (number, (part, first, line)) in parts.into_iter().enumerate() {
            let Facts { told, types, statements, functions, globals, .. } = part;
            let new = all.types.append(types);
            let variable = |row: VariableFact| row.moved(first, &new);
            all.statements.extend(statements.iter().map(|start| start + first));
            all.globals.extend(globals.into_iter().map(variable));
            for fact in functions.into_vec() {
                all.functions.push(fact.moved(first, &new));
            }
            if number == 0 {
                all.told = told;
            } else {
                all.more_files.push((line, told.file));
            }
        }
        all
    }
}

impl VariableFact {
    fn moved(self, first: u32, new: &Column<Type, Type>) -> VariableFact {
        VariableFact { offset: self.offset + first, ty: new[self.ty], ..self }
    }
}

impl FunctionFact {
    fn moved(mut self, first: u32, new: &Column<Type, Type>) -> FunctionFact {
        self.offset += first;
        self.result = self.result.map(|ty| new[ty]);
        for scope in &mut self.scopes {
            (scope.start, scope.end) = (scope.start + first, scope.end.saturating_add(first));
        }
        self.variables.iter_mut().for_each(|row| *row = row.moved(first, new));
        self
    }
}
