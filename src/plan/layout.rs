//! A layered drawing of a tree: the sink at the top, every node centred over what is below it.

use tidemark_protocol::messages::{PlanNode, PlanReport};

/// Width of a node, and the gaps between nodes beside and below each other, px.
pub const WIDTH: f64 = 284.0;
const BESIDE: f64 = 20.0;
const BELOW: f64 = 30.0;
/// Free space around everything, px.
const MARGIN: f64 = 12.0;

/// Where a node stands, px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    pub x: f64,
    pub y: f64,
    pub height: f64,
    /// Distance from the sink.
    pub depth: usize,
}

impl Place {
    fn middle(&self) -> f64 {
        self.x + WIDTH / 2.0
    }
}

/// From a node up to the one that takes its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Top middle of the lower node, bottom of the upper one.
    pub start: (f64, f64),
    pub end: (f64, f64),
    /// The event-time columns that go along it.
    pub event_time: Vec<String>,
    /// None of them goes on from the upper node.
    pub ends: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub places: Vec<Place>,
    pub edges: Vec<Edge>,
    pub width: f64,
    pub height: f64,
}

/// A step of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    Parent,
    Child,
    Left,
    Right,
}

fn event_time(node: &PlanNode) -> Vec<String> {
    node.output.iter().filter(|column| column.delay_ms.is_some()).map(|column| column.name.clone()).collect()
}

impl Graph {
    /// `height`: of a node, px.
    pub fn new(plan: &PlanReport, height: impl Fn(&PlanNode) -> f64) -> Graph {
        let mut graph = Graph { places: vec![Place::default(); plan.nodes.len()], ..Graph::default() };
        if plan.nodes.is_empty() {
            return graph;
        }
        let mut free = MARGIN;
        graph.place(plan, 0, 0, &mut free);
        let mut layers: Vec<f64> = Vec::new();
        for (place, node) in graph.places.iter_mut().zip(&plan.nodes) {
            place.height = height(node);
            if layers.len() <= place.depth {
                layers.resize(place.depth + 1, 0.0);
            }
            if let Some(layer) = layers.get_mut(place.depth) {
                *layer = layer.max(place.height);
            }
        }
        let mut top = MARGIN;
        let tops: Vec<f64> = layers
            .iter()
            .map(|layer| {
                let here = top;
                top += layer + BELOW;
                here
            })
            .collect();
        for place in &mut graph.places {
            place.y = tops.get(place.depth).copied().unwrap_or(MARGIN);
        }
        graph.width = graph.places.iter().map(|place| place.x + WIDTH).fold(0.0, f64::max) + MARGIN;
        graph.height = top - BELOW + MARGIN;
        graph.connect(plan);
        graph
    }

    /// Gives the node and those below it their columns: leaves side by side, parents over the middle of their children.
    fn place(&mut self, plan: &PlanReport, at: usize, depth: usize, free: &mut f64) {
        let children = plan.nodes.get(at).map(|node| node.children.clone()).unwrap_or_default();
        for child in &children {
            // Children stand after their parents; anything else is no plan.
            if *child > at {
                self.place(plan, *child, depth + 1, free);
            }
        }
        let middles: Vec<f64> =
            children.iter().filter_map(|child| self.places.get(*child)).map(Place::middle).collect();
        let x = match (middles.first(), middles.last()) {
            (Some(first), Some(last)) => (first + last) / 2.0 - WIDTH / 2.0,
            _ => {
                let x = *free;
                *free += WIDTH + BESIDE;
                x
            }
        };
        if let Some(place) = self.places.get_mut(at) {
            *place = Place { x, depth, ..Place::default() };
        }
    }

    fn connect(&mut self, plan: &PlanReport) {
        for (to, parent) in plan.nodes.iter().enumerate() {
            for (index, from) in parent.children.iter().enumerate() {
                let (Some(above), Some(below), Some(child)) =
                    (self.places.get(to), self.places.get(*from), plan.nodes.get(*from))
                else {
                    continue;
                };
                // Several edges arrive side by side.
                let share = (index as f64 + 1.0) / (parent.children.len() as f64 + 1.0);
                let columns = event_time(child);
                self.edges.push(Edge {
                    from: *from,
                    to,
                    start: (below.middle(), below.y),
                    end: (above.x + WIDTH * share, above.y + above.height),
                    ends: to != 0 && !columns.is_empty() && event_time(parent).is_empty(),
                    event_time: columns,
                });
            }
        }
    }

    /// The node that a key leads to from `at`.
    pub fn toward(&self, plan: &PlanReport, at: usize, toward: Toward) -> Option<usize> {
        let place = self.places.get(at)?;
        match toward {
            Toward::Parent => self.edges.iter().find(|edge| edge.from == at).map(|edge| edge.to),
            Toward::Child => plan.nodes.get(at)?.children.first().copied(),
            Toward::Left | Toward::Right => {
                let beside = self.places.iter().enumerate().filter(|(_, other)| other.depth == place.depth);
                if toward == Toward::Left {
                    beside
                        .filter(|(_, other)| other.x < place.x)
                        .max_by(|a, b| a.1.x.total_cmp(&b.1.x))
                        .map(|(at, _)| at)
                } else {
                    beside
                        .filter(|(_, other)| other.x > place.x)
                        .min_by(|a, b| a.1.x.total_cmp(&b.1.x))
                        .map(|(at, _)| at)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemark_protocol::messages::PlanColumn;

    fn node(name: &str, children: &[usize], event_time: bool) -> PlanNode {
        let column = |name: &str, delay_ms| PlanColumn { name: name.to_owned(), data_type: String::new(), delay_ms };
        let output = vec![column("id", None), column("ts", event_time.then_some(10_000))];
        PlanNode { name: name.to_owned(), children: children.to_vec(), output, streaming: true, ..PlanNode::default() }
    }

    /// sink <- Aggregate <- Join <- (EventTimeWatermark <- source, EventTimeWatermark <- source)
    fn plan() -> PlanReport {
        let nodes = vec![
            node("sink", &[1], false),
            node("Aggregate", &[2], false),
            node("Join", &[3, 5], true),
            node("EventTimeWatermark", &[4], true),
            node("StreamingRelation", &[], false),
            node("EventTimeWatermark", &[6], true),
            node("StreamingRelation", &[], false),
        ];
        PlanReport { nodes, ..PlanReport::default() }
    }

    fn graph() -> Graph {
        Graph::new(&plan(), |node| if node.name == "Join" { 90.0 } else { 44.0 })
    }

    #[test]
    fn the_sink_is_at_the_top_and_parents_stand_over_their_children() {
        let graph = graph();
        let place = |at: usize| graph.places[at];
        assert!(graph.edges.iter().all(|edge| place(edge.to).y + place(edge.to).height < place(edge.from).y));
        assert_eq!(place(2).middle(), (place(3).middle() + place(5).middle()) / 2.0);
        assert_eq!(place(3).y, place(5).y);
        assert!(place(3).x + WIDTH < place(5).x);
    }

    #[test]
    fn no_two_nodes_overlap() {
        let graph = graph();
        for (at, a) in graph.places.iter().enumerate() {
            for b in &graph.places[at + 1..] {
                let apart = a.x + WIDTH <= b.x || b.x + WIDTH <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
                assert!(apart, "{a:?} {b:?}");
            }
            assert!(a.x >= 0.0 && a.x + WIDTH <= graph.width && a.y + a.height <= graph.height);
        }
    }

    #[test]
    fn the_event_time_is_on_the_edges_that_carry_it() {
        let graph = graph();
        let carries: Vec<(usize, usize, bool)> =
            graph.edges.iter().filter(|e| !e.event_time.is_empty()).map(|e| (e.from, e.to, e.ends)).collect();
        assert_eq!(carries, [(2, 1, true), (3, 2, false), (5, 2, false)]);
    }

    #[test]
    fn keys_go_along_the_edges() {
        let (plan, graph) = (plan(), graph());
        let toward = |at, toward| graph.toward(&plan, at, toward);
        assert_eq!(toward(2, Toward::Child), Some(3));
        assert_eq!(toward(3, Toward::Right), Some(5));
        assert_eq!(toward(5, Toward::Left), Some(3));
        assert_eq!(toward(5, Toward::Parent), Some(2));
        assert_eq!((toward(0, Toward::Parent), toward(4, Toward::Child)), (None, None));
    }

    #[test]
    fn an_empty_plan_has_no_graph() {
        assert_eq!(Graph::new(&PlanReport::default(), |_| 1.0).edges, []);
    }
}
