//! The places of mutants in the syntax of a file.

use crate::sample::{Genre, Mutant, Place};
use std::collections::HashMap;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A part of a file that is written anew, with all that is changed at it.
#[derive(Debug)]
pub struct Site {
    pub range: Range<usize>,
    pub kind: Kind,
}

/// Mutants are named by their numbers.
#[derive(Debug)]
pub enum Kind {
    /// The beginning of a body, an empty range, and the values to return.
    Body(Vec<(usize, String)>),
    Infix {
        left: Range<usize>,
        operator: Range<usize>,
        right: Range<usize>,
        mutants: Vec<(usize, String)>,
    },
    Prefix {
        operand: Range<usize>,
        mutants: Vec<usize>,
    },
    /// All between pattern and arrow.
    Guard {
        old: Option<Range<usize>>,
        deleted: Vec<usize>,
        replaced: Vec<(usize, String)>,
    },
    /// The beginning of what is matched, an empty range, where an error is if the arms that are left do not take all.
    Matched(Vec<usize>),
    /// A literal, and its fields with their commas.
    Literal(Vec<(usize, Range<usize>)>),
}

/// What became of the mutants of a file.
#[derive(Debug, Default)]
pub struct Sites {
    pub sites: Vec<Site>,
    /// Those that cannot be chosen at run time, and why.
    pub fixed: Vec<(usize, &'static str)>,
    /// Those that no compiler accepts.
    pub unviable: Vec<usize>,
}

/// Finds the sites of mutants with their numbers in the text of a file.
pub fn find(text: &str, mutants: &[(usize, &Mutant)]) -> syn::Result<Sites> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        wanted: HashMap::new(),
        constants: 0,
        deleted_arms: Vec::new(),
        found: Sites::default(),
    };
    for (number, mutant) in mutants {
        let key = (mutant.genre as u8, mutant.span.start);
        finder.wanted.entry(key).or_default().push((*number, mutant.replacement.clone()));
    }
    finder.visit_file(&file);
    let rest: Vec<usize> = finder.wanted.values().flatten().map(|(number, _)| *number).collect();
    finder.fix(rest, "in a macro");
    let mut found = finder.found;
    // Outer ones before inner ones, and what has no width before all that begins there.
    found.sites.sort_by_key(|site| {
        (site.range.start, !site.range.is_empty(), std::cmp::Reverse(site.range.end))
    });
    Ok(found)
}

struct Finder {
    wanted: HashMap<(u8, Place), Vec<(usize, String)>>,
    /// How many constants enclose the place.
    constants: usize,
    /// Those of the matches around the place.
    deleted_arms: Vec<usize>,
    found: Sites,
}

fn bytes(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// Whether a condition has a `let` that is not in brackets.
fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl Finder {
    /// Takes the mutants of a genre that begin at a node, unless they are in a constant.
    fn take(&mut self, genre: Genre, node: &impl Spanned) -> Vec<(usize, String)> {
        let start = node.span().start();
        let place = Place { line: start.line, column: start.column + 1 };
        let taken = self.wanted.remove(&(genre as u8, place)).unwrap_or_default();
        if self.constants == 0 {
            return taken;
        }
        self.fix(numbers(taken), "in a constant");
        Vec::new()
    }

    fn fix(&mut self, mutants: Vec<usize>, why: &'static str) {
        self.found.fixed.extend(mutants.into_iter().map(|number| (number, why)));
    }

    fn add(&mut self, range: Range<usize>, kind: Kind) {
        self.found.sites.push(Site { range, kind });
    }

    fn constant(&mut self, walk: impl FnOnce(&mut Self)) {
        self.constants += 1;
        walk(self);
        self.constants -= 1;
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        let values = self.take(Genre::FnValue, first);
        if values.is_empty() {
            return;
        }
        if signature.constness.is_some() {
            self.fix(numbers(values), "in a constant function");
        } else if has_hidden_type(signature) {
            self.fix(numbers(values), "of a type that the body decides");
        } else {
            let start = block.brace_token.span.open().byte_range().end;
            self.add(start..start, Kind::Body(values));
        }
    }
}

fn numbers(mutants: Vec<(usize, String)>) -> Vec<usize> {
    mutants.into_iter().map(|(number, _)| number).collect()
}

/// Whether the result is `impl Trait` somewhere: an early return of another type does not compile.
fn has_hidden_type(signature: &syn::Signature) -> bool {
    #[derive(Default)]
    struct Seen(bool);
    impl Visit<'_> for Seen {
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut seen = Seen::default();
    seen.visit_return_type(&signature.output);
    seen.0
}

impl<'a> Visit<'a> for Finder {
    fn visit_item_fn(&mut self, node: &'a syn::ItemFn) {
        self.function(&node.sig, &node.block);
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &'a syn::ImplItemFn) {
        self.function(&node.sig, &node.block);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &'a syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.sig, block);
        }
        visit::visit_trait_item_fn(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'a syn::ExprBinary) {
        let mutants = self.take(Genre::BinaryOperator, &node.op);
        if mutants.is_empty() {
        } else if has_let(&node.left) || has_let(&node.right) {
            // Only `&&` joins a `let`.
            self.found.unviable.extend(numbers(mutants));
        } else {
            let (left, operator, right) = (bytes(&node.left), bytes(&node.op), bytes(&node.right));
            self.add(left.start..right.end, Kind::Infix { left, operator, right, mutants });
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'a syn::ExprUnary) {
        let mutants = numbers(self.take(Genre::UnaryOperator, &node.op));
        if !mutants.is_empty() {
            let operand = bytes(&node.expr);
            self.add(bytes(&node.op).start..operand.end, Kind::Prefix { operand, mutants });
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_expr_match(&mut self, node: &'a syn::ExprMatch) {
        let start = bytes(&node.expr).start;
        let before = self.deleted_arms.len();
        visit::visit_expr_match(self, node);
        let deleted = self.deleted_arms.split_off(before);
        if !deleted.is_empty() {
            self.add(start..start, Kind::Matched(deleted));
        }
    }

    fn visit_arm(&mut self, node: &'a syn::Arm) {
        let deleted = numbers(self.take(Genre::MatchArm, node));
        let guard = node.guard.as_ref().map(|(_, guard)| &**guard);
        let replaced = guard.map(|it| self.take(Genre::MatchArmGuard, it)).unwrap_or_default();
        let start = bytes(&node.pat).end;
        let old = guard.map(bytes);
        let end = old.as_ref().map_or(start, |it| it.end);
        if guard.is_some_and(has_let) {
            let all = deleted.into_iter().chain(numbers(replaced)).collect();
            self.fix(all, "in a guard with let");
        } else if !deleted.is_empty() || !replaced.is_empty() {
            self.deleted_arms.extend(&deleted);
            self.add(start..end, Kind::Guard { old, deleted, replaced });
        }
        visit::visit_arm(self, node);
    }

    fn visit_expr_struct(&mut self, node: &'a syn::ExprStruct) {
        let mut deleted = Vec::new();
        for pair in node.fields.pairs() {
            let range = bytes(&pair);
            let mutants = self.take(Genre::StructField, pair.value());
            deleted.extend(numbers(mutants).into_iter().map(|number| (number, range.clone())));
        }
        if !deleted.is_empty() {
            self.add(bytes(node), Kind::Literal(deleted));
        }
        visit::visit_expr_struct(self, node);
    }

    fn visit_item_const(&mut self, node: &'a syn::ItemConst) {
        self.constant(|it| visit::visit_item_const(it, node));
    }

    fn visit_item_static(&mut self, node: &'a syn::ItemStatic) {
        self.constant(|it| visit::visit_item_static(it, node));
    }

    fn visit_impl_item_const(&mut self, node: &'a syn::ImplItemConst) {
        self.constant(|it| visit::visit_impl_item_const(it, node));
    }

    fn visit_trait_item_const(&mut self, node: &'a syn::TraitItemConst) {
        self.constant(|it| visit::visit_trait_item_const(it, node));
    }

    fn visit_expr_const(&mut self, node: &'a syn::ExprConst) {
        self.constant(|it| visit::visit_expr_const(it, node));
    }

    fn visit_type_array(&mut self, node: &'a syn::TypeArray) {
        self.constant(|it| visit::visit_type_array(it, node));
    }

    fn visit_expr_repeat(&mut self, node: &'a syn::ExprRepeat) {
        self.visit_expr(&node.expr);
        self.constant(|it| it.visit_expr(&node.len));
    }

    fn visit_variant(&mut self, node: &'a syn::Variant) {
        self.constant(|it| visit::visit_variant(it, node));
    }

    fn visit_generic_argument(&mut self, node: &'a syn::GenericArgument) {
        self.constant(|it| visit::visit_generic_argument(it, node));
    }
}
