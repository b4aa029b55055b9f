//! The shape of ConcurrentHashMap.TreeBin: a red-black tree by hash.
//!
//! The order of a tree bin is that of its `next` chain and kept with the other buckets. The tree itself matters for one
//! thing: its shape decides at which removal the bin turns back into a list, from when on new nodes go to the end again.
//! (Among keys of one 32-bit hash Java orders by identity hash code, which is not reproducible; here by arrival.)

#[derive(Clone, Debug)]
struct Node {
    hash: u32,
    key: Box<[u8]>,
    red: bool,
    parent: Option<usize>,
    /// Left, right.
    children: [Option<usize>; 2],
}

#[derive(Clone, Debug, Default)]
pub(super) struct TreeBin {
    nodes: Vec<Node>,
    root: Option<usize>,
}

const LEFT: usize = 0;
const RIGHT: usize = 1;

impl TreeBin {
    /// A bin of the nodes of a list, in its order.
    pub(super) fn of<'a>(entries: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let mut tree = Self::default();
        for (hash, key) in entries {
            tree.insert(hash, key);
        }
        tree
    }

    pub(super) fn insert(&mut self, hash: u32, key: &[u8]) {
        let mut parent = None;
        let mut side = LEFT;
        let mut at = self.root;
        while let Some(node) = at {
            parent = Some(node);
            side = if self.nodes[node].hash > hash { LEFT } else { RIGHT };
            at = self.nodes[node].children[side];
        }
        let new = self.nodes.len();
        self.nodes.push(Node { hash, key: key.into(), red: parent.is_some(), parent, children: [None; 2] });
        match parent {
            Some(parent) => self.nodes[parent].children[side] = Some(new),
            None => self.root = Some(new),
        }
        self.balance_insertion(new);
    }

    fn red(&self, node: Option<usize>) -> bool {
        node.is_some_and(|node| self.nodes[node].red)
    }

    fn child(&self, node: Option<usize>, side: usize) -> Option<usize> {
        node.and_then(|node| self.nodes[node].children[side])
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }

    fn side_of(&self, parent: usize, node: Option<usize>) -> usize {
        if self.nodes[parent].children[LEFT] == node { LEFT } else { RIGHT }
    }

    /// Puts `new` below the parent of `old` in its place.
    fn replace_child(&mut self, old: usize, new: Option<usize>) {
        let parent = self.parent(old);
        match parent {
            Some(parent) => {
                let side = self.side_of(parent, Some(old));
                self.nodes[parent].children[side] = new;
            }
            None => self.root = new,
        }
        if let Some(new) = new {
            self.nodes[new].parent = parent;
        }
    }

    /// Turns `node` down to `side`; its child of the other side comes up.
    fn rotate(&mut self, node: usize, side: usize) {
        let Some(up) = self.nodes[node].children[1 - side] else { return };
        let inner = self.nodes[up].children[side];
        self.nodes[node].children[1 - side] = inner;
        if let Some(inner) = inner {
            self.nodes[inner].parent = Some(node);
        }
        self.replace_child(node, Some(up));
        self.nodes[up].children[side] = Some(node);
        self.nodes[node].parent = Some(up);
    }

    fn balance_insertion(&mut self, mut x: usize) {
        while let Some(parent) = self.parent(x) {
            if !self.nodes[parent].red {
                break;
            }
            let Some(grand) = self.parent(parent) else { break };
            let side = self.side_of(grand, Some(parent));
            let uncle = self.nodes[grand].children[1 - side];
            if let Some(uncle) = uncle.filter(|_| self.red(uncle)) {
                self.nodes[uncle].red = false;
                self.nodes[parent].red = false;
                self.nodes[grand].red = true;
                x = grand;
                continue;
            }
            let mut top = parent;
            if self.side_of(parent, Some(x)) != side {
                self.rotate(parent, side);
                top = x;
                x = parent;
            }
            self.nodes[top].red = false;
            self.nodes[grand].red = true;
            self.rotate(grand, 1 - side);
        }
        if let Some(root) = self.root {
            self.nodes[root].red = false;
        }
    }

    /// removeTreeNode: true when the bin is so small that it becomes a list (the tree is then of no further use).
    pub(super) fn remove(&mut self, hash: u32, key: &[u8]) -> bool {
        let root_left = self.child(self.root, LEFT);
        if self.child(self.root, RIGHT).is_none() || self.child(root_left, LEFT).is_none() {
            return true;
        }
        let Some(node) = self.nodes.iter().position(|n| n.hash == hash && *n.key == *key) else { return false };
        self.unlink(node);
        self.forget(node);
        false
    }

    /// Takes a node out of the tree, as CLR does with the successor in its place.
    fn unlink(&mut self, p: usize) {
        if let [Some(_), Some(right)] = self.nodes[p].children {
            let mut s = right;
            while let Some(left) = self.nodes[s].children[LEFT] {
                s = left;
            }
            self.exchange(p, s);
        }
        let replacement = self.nodes[p].children[LEFT].or(self.nodes[p].children[RIGHT]);
        match replacement {
            Some(replacement) => {
                self.replace_child(p, Some(replacement));
                if !self.nodes[p].red {
                    self.balance_deletion(replacement);
                }
            }
            None => {
                if !self.nodes[p].red {
                    self.balance_deletion(p);
                }
                self.replace_child(p, None);
            }
        }
    }

    /// Exchanges the places (and colours) of a node and its successor.
    fn exchange(&mut self, p: usize, s: usize) {
        let (p_red, s_red) = (self.nodes[p].red, self.nodes[s].red);
        self.nodes[p].red = s_red;
        self.nodes[s].red = p_red;
        let [left, right] = self.nodes[p].children;
        let after = self.nodes[s].children[RIGHT];
        if right == Some(s) {
            self.replace_child(p, Some(s));
            self.nodes[s].children[RIGHT] = Some(p);
            self.nodes[p].parent = Some(s);
        } else {
            let s_parent = self.parent(s);
            self.replace_child(p, Some(s));
            self.nodes[s].children[RIGHT] = right;
            if let Some(right) = right {
                self.nodes[right].parent = Some(s);
            }
            if let Some(parent) = s_parent {
                self.nodes[parent].children[LEFT] = Some(p);
            }
            self.nodes[p].parent = s_parent;
        }
        self.nodes[s].children[LEFT] = left;
        if let Some(left) = left {
            self.nodes[left].parent = Some(s);
        }
        self.nodes[p].children = [None, after];
        if let Some(after) = after {
            self.nodes[after].parent = Some(p);
        }
    }

    fn balance_deletion(&mut self, mut x: usize) {
        while let Some(parent) = self.parent(x) {
            if self.nodes[x].red {
                break;
            }
            let side = self.side_of(parent, Some(x));
            let mut sibling = self.nodes[parent].children[1 - side];
            if let Some(red) = sibling.filter(|_| self.red(sibling)) {
                self.nodes[red].red = false;
                self.nodes[parent].red = true;
                self.rotate(parent, side);
                sibling = self.nodes[parent].children[1 - side];
            }
            let Some(mut up) = sibling else {
                x = parent;
                continue;
            };
            let (near, far) = (self.nodes[up].children[side], self.nodes[up].children[1 - side]);
            if !self.red(near) && !self.red(far) {
                self.nodes[up].red = true;
                x = parent;
                continue;
            }
            if !self.red(far)
                && let Some(near) = near
            {
                self.nodes[near].red = false;
                self.nodes[up].red = true;
                self.rotate(up, 1 - side);
                up = near;
            }
            self.nodes[up].red = self.nodes[parent].red;
            self.nodes[parent].red = false;
            if let Some(far) = self.nodes[up].children[1 - side] {
                self.nodes[far].red = false;
            }
            self.rotate(parent, side);
            break;
        }
        self.nodes[x].red = false;
        if let Some(root) = self.root {
            self.nodes[root].red = false;
        }
    }

    /// Frees the slot of a node that no link leads to.
    fn forget(&mut self, slot: usize) {
        let moved = self.nodes.len() - 1;
        if slot != moved {
            self.replace_child(moved, Some(slot));
            for side in [LEFT, RIGHT] {
                if let Some(child) = self.nodes[moved].children[side] {
                    self.nodes[child].parent = Some(slot);
                }
            }
        }
        self.nodes.swap_remove(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Black height of a valid subtree.
    fn check(tree: &TreeBin, node: Option<usize>, low: u32, high: u32) -> usize {
        let Some(at) = node else { return 1 };
        let n = &tree.nodes[at];
        assert!(low <= n.hash && n.hash <= high);
        for child in n.children.iter().flatten() {
            assert_eq!(tree.nodes[*child].parent, Some(at));
            assert!(!(n.red && tree.nodes[*child].red));
        }
        let left = check(tree, n.children[LEFT], low, n.hash);
        assert_eq!(left, check(tree, n.children[RIGHT], n.hash, high));
        left + usize::from(!n.red)
    }

    #[test]
    fn stays_a_red_black_tree() {
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let mut tree = TreeBin::default();
        let mut hashes = Vec::new();
        for step in 0..400 {
            let remove = hashes.len() > 30 || (step % 3 == 2 && !hashes.is_empty());
            if remove {
                let hash: u32 = hashes.swap_remove(next() as usize % hashes.len());
                if tree.remove(hash, &hash.to_le_bytes()) {
                    tree = TreeBin::default();
                    hashes.clear();
                }
            } else {
                let hash = next();
                tree.insert(hash, &hash.to_le_bytes());
                hashes.push(hash);
            }
            assert_eq!(tree.nodes.len(), hashes.len());
            check(&tree, tree.root, 0, u32::MAX);
        }
    }
}
