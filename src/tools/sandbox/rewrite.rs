//! Rewrites code that models write into code the interpreter can run.
//!
//! The interpreter does not support subscripts or computed attributes on our objects, methods by their type
//! (`str.lower`), real generators, `del` or `%` formatting. Each becomes a call of a function in `prelude.py` that does
//! the same for every value. Line numbers stay the same; code that does not parse is left for the interpreter to
//! refuse.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    Alias, Expr, ExprAttribute, ExprCall, ExprContext, ExprSubscript, Operator, Parameter, Stmt, UnaryOp,
};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextSize};
use std::collections::{HashMap, HashSet};

/// Attributes of sheets, cells and workbooks that are computed when read.
const READ: [&str; 15] = [
    "value",
    "max_row",
    "max_column",
    "min_row",
    "min_column",
    "title",
    "rows",
    "columns",
    "values",
    "dimensions",
    "sheetnames",
    "worksheets",
    "active",
    "column_dimensions",
    "number_format",
];
/// Attributes that change the workbook when set.
const SET: [&str; 11] = [
    "value",
    "title",
    "font",
    "fill",
    "number_format",
    "width",
    "alignment",
    "border",
    "freeze_panes",
    "hidden",
    "height",
];
/// Types whose methods are called by the type's name.
const TYPES: [&str; 7] = ["str", "list", "dict", "set", "int", "float", "tuple"];
/// Real methods of the type itself.
const OF_TYPES: [&str; 4] = ["fromkeys", "maketrans", "from_bytes", "fromhex"];
/// Methods that code passes as functions (`key=counts.get`).
const BOUND: [&str; 9] =
    ["get", "append", "lower", "upper", "strip", "casefold", "startswith", "endswith", "isdigit"];
/// Functions that consume a whole generator at once.
const EAGER: [&str; 12] =
    ["sum", "any", "all", "list", "tuple", "set", "dict", "sorted", "min", "max", "frozenset", "enumerate"];
/// Modules that the prelude provides.
const MODULES: [(&str, &str); 5] = [
    ("statistics", "statistics"),
    ("itertools", "_itertools"),
    ("openpyxl", "_openpyxl"),
    ("openpyxl.styles", "_openpyxl.styles"),
    ("openpyxl.utils", "_openpyxl.utils"),
];
/// The functions of itertools that the prelude provides; the interpreter has the others.
const ITERTOOLS: [&str; 4] = ["groupby", "product", "combinations", "permutations"];

/// Rewrites the cells of one session; remembers the names that earlier cells assigned.
#[derive(Default)]
pub(super) struct Rewriter {
    assigned: HashSet<String>,
}

impl Rewriter {
    pub(super) fn rewrite(&mut self, code: &str) -> String {
        let Ok(parsed) = parse_module(code) else { return code.to_owned() };
        AssignedNames(&mut self.assigned).visit_body(&parsed.syntax().body);
        let mut open = Vec::new();
        let mut brackets = HashMap::new();
        let mut tokens = Vec::new();
        for token in parsed.tokens() {
            tokens.push((token.start(), token.end(), token.kind()));
            match token.kind() {
                TokenKind::Lsqb => open.push(token.start()),
                TokenKind::Rsqb => {
                    if let Some(start) = open.pop() {
                        brackets.insert(token.start(), start);
                    }
                }
                _ => {}
            }
        }
        let mut edits = Edits { code, tokens, brackets, assigned: &self.assigned, list: Vec::new() };
        edits.visit_body(&parsed.syntax().body);
        edits.apply()
    }
}

/// Collects the names that code assigns.
struct AssignedNames<'s>(&'s mut HashSet<String>);

impl<'a> Visitor<'a> for AssignedNames<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx == ExprContext::Store
        {
            self.0.insert(name.id.to_string());
        }
        walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.0.insert(parameter.name.to_string());
    }
}

/// Replaces a range of the code by another text.
struct Edit {
    from: TextSize,
    to: TextSize,
    text: String,
    closes: bool,
}

struct Edits<'s> {
    code: &'s str,
    tokens: Vec<(TextSize, TextSize, TokenKind)>,
    /// Opening brackets by the position of their closing ones.
    brackets: HashMap<TextSize, TextSize>,
    assigned: &'s HashSet<String>,
    list: Vec<Edit>,
}

impl Edits<'_> {
    fn apply(mut self) -> String {
        // At one position, closings come first, innermost first; then openings, outermost first.
        let last = self.list.len();
        let mut order: Vec<usize> = (0..last).collect();
        order.sort_by_key(|n| {
            let edit = &self.list[*n];
            (edit.from, !edit.closes, edit.to > edit.from, if edit.closes { last - n } else { *n })
        });
        let mut out = String::with_capacity(self.code.len() + 16 * last);
        let mut at = 0;
        for n in order {
            let edit = &mut self.list[n];
            out.push_str(self.code.get(at..edit.from.to_usize()).unwrap_or_default());
            out.push_str(&edit.text);
            at = at.max(edit.to.to_usize());
        }
        out.push_str(self.code.get(at..).unwrap_or_default());
        out
    }

    fn replace(&mut self, from: TextSize, to: TextSize, text: impl Into<String>) {
        self.list.push(Edit { from, to, text: text.into(), closes: false });
    }

    fn open(&mut self, at: TextSize, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    fn close(&mut self, at: TextSize, text: impl Into<String>) {
        self.list.push(Edit { from: at, to: at, text: text.into(), closes: true });
    }

    /// The first token of this kind, starting at `from`.
    fn token(&self, from: TextSize, kind: TokenKind) -> Option<(TextSize, TextSize)> {
        let first = self.tokens.partition_point(|(start, ..)| *start < from);
        let token = self.tokens.get(first..)?.iter().find(|(_, _, token_kind)| *token_kind == kind);
        token.map(|(start, end, _)| (*start, *end))
    }

    /// The dot before an attribute's name.
    fn dot(&self, attribute: &ExprAttribute) -> TextSize {
        let after = self.tokens.partition_point(|(start, ..)| *start < attribute.attr.start());
        let dot = self.tokens.get(..after).and_then(|before| before.last());
        dot.map_or(attribute.attr.start(), |(start, ..)| *start)
    }

    /// `V[K]` becomes `name(V, K`; the caller adds the rest.
    fn subscript(&mut self, subscript: &ExprSubscript, name: &str, after: &str) -> bool {
        let end = subscript.end() - TextSize::new(1);
        let Some(bracket) = self.brackets.get(&end).copied() else { return false };
        let is_bare_tuple = matches!(&*subscript.slice, Expr::Tuple(tuple) if !tuple.parenthesized);
        self.open(subscript.start(), format!("{name}("));
        self.replace(bracket, bracket + TextSize::new(1), if is_bare_tuple { ", (" } else { ", " });
        self.replace(
            end,
            subscript.end(),
            if is_bare_tuple { format!("){after}") } else { after.to_owned() },
        );
        self.visit_expr(&subscript.value);
        self.visit_expr(&subscript.slice);
        true
    }

    /// `V.name` becomes `function(V, "name"`.
    fn attribute(&mut self, attribute: &ExprAttribute, function: &str) {
        self.open(attribute.start(), format!("{function}("));
        let dot = self.dot(attribute);
        self.replace(dot, attribute.end(), format!(", \"{}\"", attribute.attr));
        self.visit_expr(&attribute.value);
    }

    /// A store through a function: the target was rewritten, only the value and the closing parenthesis are left.
    fn stored(&mut self, stmt: &Stmt, after: TextSize, kind: TokenKind, text: &str, value: &Expr) {
        if let Some((from, to)) = self.token(after, kind) {
            self.replace(from, to, text);
        }
        self.visit_expr(value);
        self.close(stmt.end(), "))");
    }

    fn imports(&mut self, stmt: &Stmt, module: Option<&str>, names: &[Alias]) {
        let replacement = |name: &str| {
            MODULES.iter().find(|(supported, _)| *supported == name).map(|(_, replacement)| *replacement)
        };
        let mut parts = Vec::new();
        let mut has_replacement = false;
        for alias in names {
            let name = alias.name.as_str();
            let alias_name = alias.asname.as_ref().map(|alias_name| alias_name.as_str());
            let (object, plain) = match module {
                Some(module) => {
                    let native = module == "itertools" && !ITERTOOLS.contains(&name);
                    let object =
                        replacement(module).filter(|_| !native).map(|object| format!("{object}.{name}"));
                    (object, format!("from {module} import {name}"))
                }
                None => (replacement(name).map(str::to_owned), format!("import {name}")),
            };
            let top = name.split('.').next().unwrap_or(name);
            match object {
                Some(object) => {
                    has_replacement = true;
                    // `import a.b` binds `a`.
                    let object = match (module, alias_name) {
                        (None, None) => replacement(top).map_or(object, str::to_owned),
                        _ => object,
                    };
                    parts.push(format!("{} = {object}", alias_name.unwrap_or(top)));
                }
                None => parts
                    .push(alias_name.map_or(plain.clone(), |alias_name| format!("{plain} as {alias_name}"))),
            }
        }
        if has_replacement {
            self.replace(stmt.start(), stmt.end(), parts.join("; "));
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let (by_name, by_attribute) = match &*call.func {
            Expr::Name(name) => (Some(name.id.as_str()), None),
            Expr::Attribute(attribute) => (None, Some(attribute)),
            _ => (None, None),
        };
        match by_attribute {
            Some(attribute) if self.is_type_method(attribute) => self.visit_expr(&call.func),
            Some(attribute) if attribute.attr.as_str() == "sub" => {
                self.open(call.start(), "_sub(");
                let dot = self.dot(attribute);
                self.replace(dot, call.arguments.start() + TextSize::new(1), ", ");
                self.visit_expr(&attribute.value);
            }
            // It calls a method, so there is no attribute to compute.
            Some(attribute) => self.visit_expr(&attribute.value),
            None => self.visit_expr(&call.func),
        }
        let eager = by_name.is_some_and(|name| EAGER.contains(&name))
            || by_attribute.is_some_and(|attribute| attribute.attr.as_str() == "join");
        match call.arguments.args.first() {
            Some(argument @ Expr::Generator(_)) if eager => {
                walk_expr(self, argument);
                call.arguments.args.iter().skip(1).for_each(|argument| self.visit_expr(argument));
                call.arguments.keywords.iter().for_each(|keyword| self.visit_expr(&keyword.value));
            }
            _ => self.visit_arguments(&call.arguments),
        }
    }

    /// Whether it is a method called by its type, like `str.lower`.
    fn is_type_method(&self, attribute: &ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        matches!(&*attribute.value, Expr::Name(base) if TYPES.contains(&base.id.as_str()) && !self.assigned.contains(base.id.as_str()))
            && !name.starts_with('_')
            && !OF_TYPES.contains(&name)
    }
}

impl<'a> Visitor<'a> for Edits<'_> {
    fn visit_annotation(&mut self, _: &'a Expr) {
        // Annotations are never executed.
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Subscript(target)] if !target.slice.is_slice_expr() => {
                    if self.subscript(target, "_put", "") {
                        self.stored(stmt, target.end(), TokenKind::Equal, ", (", &assign.value);
                    }
                }
                [Expr::Attribute(target)] if SET.contains(&target.attr.as_str()) => {
                    self.attribute(target, "_let");
                    self.stored(stmt, target.end(), TokenKind::Equal, ", (", &assign.value);
                }
                _ => walk_stmt(self, stmt),
            },
            Stmt::AugAssign(assign) => {
                let (kind, sign) = sign(assign.op);
                let text = format!(", \"{sign}\", (");
                match &*assign.target {
                    Expr::Subscript(target) if !target.slice.is_slice_expr() => {
                        if self.subscript(target, "_augment", "") {
                            self.stored(stmt, target.end(), kind, &text, &assign.value);
                        }
                    }
                    Expr::Attribute(target) if SET.contains(&target.attr.as_str()) => {
                        self.attribute(target, "_augment_set");
                        self.stored(stmt, target.end(), kind, &text, &assign.value);
                    }
                    _ => walk_stmt(self, stmt),
                }
            }
            Stmt::Delete(delete) => match delete.targets.as_slice() {
                [Expr::Subscript(target)] if !target.slice.is_slice_expr() => {
                    self.replace(stmt.start(), target.start(), "");
                    self.subscript(target, "_delete", ")");
                }
                _ => walk_stmt(self, stmt),
            },
            Stmt::Import(import) => self.imports(stmt, None, &import.names),
            Stmt::ImportFrom(import) if import.level == 0 => {
                self.imports(stmt, import.module.as_ref().map(|module| module.as_str()), &import.names);
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Subscript(subscript)
                if subscript.ctx == ExprContext::Load
                    && !subscript.slice.is_slice_expr()
                    && !is_end(&subscript.slice) =>
            {
                self.subscript(subscript, "_item", ")");
            }
            Expr::Attribute(attribute) if self.is_type_method(attribute) => {
                let text = format!("(lambda _s, *_a, **_k: _s.{}(*_a, **_k))", attribute.attr);
                self.replace(expr.start(), expr.end(), text);
            }
            Expr::Attribute(attribute)
                if attribute.ctx == ExprContext::Load && READ.contains(&attribute.attr.as_str()) =>
            {
                self.open(expr.start(), format!("_dot_{}(", attribute.attr));
                let dot = self.dot(attribute);
                self.replace(dot, expr.end(), ")");
                self.visit_expr(&attribute.value);
            }
            Expr::Attribute(attribute)
                if attribute.ctx == ExprContext::Load && BOUND.contains(&attribute.attr.as_str()) =>
            {
                self.open(expr.start(), "_bound(");
                let dot = self.dot(attribute);
                self.replace(dot, expr.end(), format!(", \"{}\")", attribute.attr));
                self.visit_expr(&attribute.value);
            }
            Expr::Call(call) => self.call(call),
            Expr::Generator(generator) => {
                // If the generator is a call's only argument without its own parentheses, its range includes those of
                // the call.
                let inner = TextSize::new(u32::from(
                    !generator.parenthesized && self.code[expr.start().to_usize()..].starts_with('('),
                ));
                self.open(expr.start() + inner, "iter(");
                walk_expr(self, expr);
                self.close(expr.end() - inner, ")");
            }
            Expr::BinOp(binary) if binary.op == Operator::Mod && binary.left.is_string_literal_expr() => {
                self.open(expr.start(), "_percent(");
                if let Some((from, to)) = self.token(binary.left.end(), TokenKind::Percent) {
                    self.replace(from, to, ",");
                }
                walk_expr(self, expr);
                self.close(expr.end(), ")");
            }
            _ => walk_expr(self, expr),
        }
    }
}

/// Whether an index is 0 or counts from the end, which no sheet allows.
fn is_end(slice: &Expr) -> bool {
    match slice {
        Expr::NumberLiteral(number) => number.value.as_int().is_some_and(|n| n.as_u8() == Some(0)),
        Expr::UnaryOp(unary) => unary.op == UnaryOp::USub && unary.operand.is_number_literal_expr(),
        _ => false,
    }
}

fn sign(op: Operator) -> (TokenKind, &'static str) {
    match op {
        Operator::Add => (TokenKind::PlusEqual, "+"),
        Operator::Sub => (TokenKind::MinusEqual, "-"),
        Operator::Mult => (TokenKind::StarEqual, "*"),
        Operator::MatMult => (TokenKind::AtEqual, "@"),
        Operator::Div => (TokenKind::SlashEqual, "/"),
        Operator::Mod => (TokenKind::PercentEqual, "%"),
        Operator::Pow => (TokenKind::DoubleStarEqual, "**"),
        Operator::LShift => (TokenKind::LeftShiftEqual, "<<"),
        Operator::RShift => (TokenKind::RightShiftEqual, ">>"),
        Operator::BitOr => (TokenKind::VbarEqual, "|"),
        Operator::BitXor => (TokenKind::CircumflexEqual, "^"),
        Operator::BitAnd => (TokenKind::AmperEqual, "&"),
        Operator::FloorDiv => (TokenKind::DoubleSlashEqual, "//"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_interpreter_lacks_becomes_a_call() {
        for (code, now) in [
            ("x = ws['B2'].value", "x = _dot_value(_item(ws, 'B2'))"),
            ("ws['B2'].value = 1", "_let(_item(ws, 'B2'), \"value\" , ( 1))"),
            ("ws['B2'] = 1, 2", "_put(ws, 'B2' , ( 1, 2))"),
            ("d[a, b] += 1", "_augment(d, (a, b) , \"+\", ( 1))"),
            ("x.value -= 1", "_augment_set(x, \"value\" , \"-\", ( 1))"),
            ("del wb['Old']", "_delete(wb, 'Old')"),
            ("rows[0][-1][1:3]", "rows[0][-1][1:3]"),
            ("a[b[1]]", "_item(a, _item(b, 1))"),
            ("sorted(x, key=str.lower)", "sorted(x, key=(lambda _s, *_a, **_k: _s.lower(*_a, **_k)))"),
            ("max(d, key=d.get)", "max(d, key=_bound(d, \"get\"))"),
            ("next(x for x in y)", "next(iter(x for x in y))"),
            ("next((x for x in y), 0)", "next(iter((x for x in y)), 0)"),
            ("sum(r['A'] for r in y)", "sum(_item(r, 'A') for r in y)"),
            ("re.sub('a', f, s)", "_sub(re, 'a', f, s)"),
            ("'%d of %s' % (a, b)", "_percent('%d of %s' , (a, b))"),
            ("f\"{ws['A1'].value:>5}\"", "f\"{_dot_value(_item(ws, 'A1')):>5}\""),
            (
                "from itertools import chain, groupby as g",
                "from itertools import chain; g = _itertools.groupby",
            ),
            ("import openpyxl, json", "openpyxl = _openpyxl; import json"),
            ("from openpyxl.styles import Font", "Font = _openpyxl.styles.Font"),
            ("d.values()", "d.values()"),
            ("def f(x: dict[str, int]): return x", "def f(x: dict[str, int]): return x"),
            ("x[1] = ", "x[1] = "),
        ] {
            assert_eq!(Rewriter::default().rewrite(code), now, "{code}");
        }
        let mut rewriter = Rewriter::default();
        rewriter.rewrite("list = []");
        assert_eq!(rewriter.rewrite("list.append(1)"), "list.append(1)");
    }
}
