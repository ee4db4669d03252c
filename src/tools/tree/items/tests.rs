//! Names, lines, signatures and sentences, in each supported language.

use super::*;
use crate::tools::tree::blank::blank;
use std::path::Path;

/// Prints items as `line kind name | signature | about`, with a minus in front if they are not public.
fn check(file: &str, text: &str, expected: &[&str]) {
    let language = crate::tools::tree::language::of(Path::new(file)).unwrap();
    let found: Vec<String> = read(language, text, &blank(language.family, text))
        .into_iter()
        .map(|item| {
            let hidden = if item.public { "" } else { "-" };
            format!("{hidden}{} {} {} | {} | {}", item.line, item.kind, item.name, item.signature, item.about)
        })
        .collect();
    assert_eq!(found, expected, "{file}");
}

#[test]
fn python_is_read_to_its_methods_and_overloads_are_one() {
    check(
        "a.py",
        r#"
class Command(Base):
    """A command. It runs.

    More."""
    def __init__(self): ...

    async def invoke(
        self, ctx: Context,  # the context
    ) -> t.Any:
        """Invokes it."""
        def inner(): ...

    def _hidden(self): pass
    @functools.cached_property
    def path(self) -> str: ...

class _Parser:
    def parse_args(self, args):
        """Parses arguments
        in order."""

@t.overload
def option(name: str) -> str: ...
def option(*names: str, cls=dict(a="):")) -> str:
    'One option.'
DEFAULT = """
def no(): pass
"""
if t.TYPE_CHECKING:
    class Info(dict): ...
"#,
        &[
            "2 class Command | class Command(Base) | A command.",
            "8 method Command.invoke | invoke( self, ctx: Context, ) -> t.Any | Invokes it.",
            "-14 method Command._hidden | _hidden(self) | ",
            "16 method Command.path | @property path(self) -> str | ",
            "-18 class _Parser | class _Parser | ",
            "-19 method _Parser.parse_args | parse_args(self, args) | Parses arguments in order.",
            "25 function option | option(*names: str, cls=dict(a=\"):\")) -> str | One option.",
            "27 constant DEFAULT | DEFAULT | ",
            "31 class Info | class Info(dict) | ",
        ],
    );
}

#[test]
fn rust_is_read_in_impls_and_traits_and_tests_are_not() {
    check(
        "a.rs",
        r#"
/// Keeps rows.
#[derive(Debug)]
pub struct Store<T> { rows: Vec<T> }
impl<T: Into<String>> Store<T>
where
    T: Clone,
{
    /// Opens it. Slowly.
    pub async fn open(path: &Path, how: [u8; 2]) -> Result<Self, Error> {
        fn inner() {}
    }
    fn hidden(&self) {}
}
impl fmt::Display for Store<u8> { fn fmt(&self) {} }
pub(crate) trait Node { fn run(&self); }
pub const LIMIT: usize = 3;
macro_rules! m { () => {} }
const fn free() {}
#[cfg(test)]
mod tests { pub fn no() {} }
pub fn last<'a>(c: char) -> bool { c == '{' }
pub enum After { A }
"#,
        &[
            "4 struct Store | pub struct Store<T> | Keeps rows.",
            "10 method Store::open | pub async fn open(path: &Path, how: [u8; 2]) -> Result<Self, Error> | Opens it.",
            "-13 method Store::hidden | fn hidden(&self) | ",
            "-15 impl Display | impl fmt::Display for Store<u8> | ",
            "-16 trait Node | pub(crate) trait Node | ",
            "17 constant LIMIT | pub const LIMIT: usize | ",
            "18 macro m | macro_rules! m | ",
            "-19 function free | const fn free() | ",
            "22 function last | pub fn last<'a>(c: char) -> bool | ",
            "23 enum After | pub enum After | ",
        ],
    );
}

#[test]
fn scripts_are_read_by_what_they_export_and_set() {
    check(
        "a.js",
        r#"
/**
 * Create an app.
 * @return {Function}
 */
function createApp(a, { b = 1 } = {}) {
  if (a) { return }
}
function hidden() {}
exports = module.exports = createApp;
/** Sends JSON. */
res.json = function json(obj) {
};
req.get =
req.header = function header(name) {}
View.prototype.lookup = function lookup(name) {
  const x = /[{]/;
};
exports.etag = makeTag({ weak: false })
defineGetter(req, 'ip', function ip(){
});
const local = 3;
const arrow = async (a, b) => {
  a.b = function () {};
};
"#,
        &[
            "6 function createApp | function createApp(a, { b = 1 } = {}) | Create an app.",
            "-9 function hidden | function hidden() | ",
            "12 function res.json | res.json = function json(obj) | Sends JSON.",
            "14 function req.get | req.get = req.header = function header(name) | ",
            "15 function req.header | req.header = function header(name) | ",
            "16 function View.prototype.lookup | View.prototype.lookup = function lookup(name) | ",
            "19 constant etag | exports.etag = makeTag({ weak: false }) | ",
            "20 property req.ip | defineGetter(req, 'ip', function ip() | ",
            "-23 function arrow | const arrow = async (a, b) | ",
        ],
    );
    check(
        "a.ts",
        "export default class Command<T> extends Base {\n  private secret(): void {}\n  /** Parses. */\n  \
         async parse(argv?: string[]): Promise<this> {\n    if (x) {}\n  }\n  get name() { return '' }\n}\n\
         export interface Opts {\n  run(a: string): void;\n}\nexport type Id = string;\nexport const LIMIT = 3;\n",
        &[
            "1 class Command | class Command<T> extends Base | ",
            "-2 method Command.secret | private secret(): void | ",
            "4 method Command.parse | async parse(argv?: string[]): Promise<this> | Parses.",
            "7 method Command.name | get name() | ",
            "9 interface Opts | interface Opts | ",
            "10 method Opts.run | run(a: string): void | ",
            "12 type Id | type Id = string | ",
            "13 constant LIMIT | const LIMIT = 3 | ",
        ],
    );
}

#[test]
fn go_and_makefiles_are_read() {
    check(
        "a.go",
        "package a\n\n// Run runs it. At once.\nfunc Run(ctx context.Context, f func() error) (int, error) {\n\tx := `func No() {`\n}\n\n\
         // Store keeps rows.\ntype Store struct {\n}\n\nfunc (s *Store) open() {}\n",
        &[
            "4 function Run | func Run(ctx context.Context, f func() error) (int, error) | Run runs it.",
            "9 type Store | type Store struct | Store keeps rows.",
            "-12 method Store.open | func (s *Store) open() | ",
        ],
    );
    check(
        "Makefile",
        "X := 1\n# Runs the tests.\ntest: build\n\tgo test\n",
        &["3 target test | make test | Runs the tests."],
    );
    check("a.rb", "class A\nend\n", &[]);
}

/// Where function bodies end: `name first-last`.
fn check_bodies(file: &str, text: &str, expected: &[&str]) {
    let language = crate::tools::tree::language::of(Path::new(file)).unwrap();
    let found: Vec<String> = read(language, text, &blank(language.family, text))
        .into_iter()
        .filter_map(|item| Some(format!("{} {}-{}", item.name, item.line, item.end?)))
        .collect();
    assert_eq!(found, expected, "{file}");
}

#[test]
fn bodies_end_where_they_do() {
    check_bodies(
        "a.py",
        "class A:\n    def go(\n        self,\n    ):\n        \"\"\"Goes.\n\ndef no(): pass\n\"\"\"\n        x = [\n1,\n        ]\n\n        return x\n\n    y = 1\n\ndef short(): pass\n\ndef last():\n    return 1\n",
        &["A.go 2-13", "last 19-20"],
    );
    check_bodies(
        "a.rs",
        "fn one(a: [u8; 4]) -> u8 {\n    match a { [x, ..] => x }\n}\ntrait T {\n    fn none(&self);\n}\n",
        &["one 1-3"],
    );
    check_bodies(
        "a.js",
        "function f({a, b} = {}) {\n  return g({a}, \"}\")\n}\nconst h = (x) => x + 1;\nclass A {\n  m(x) {\n    return x\n  }\n}\n",
        &["f 1-3", "A.m 6-8"],
    );
    check_bodies("a.go", "func (s *S) Run(f func() error) error {\n\treturn f()\n}\n", &["S.Run 1-3"]);
}
