"""The cart: what somebody wants to buy, and what it costs."""

from dataclasses import dataclass, field

from shop.shipping import shipping


@dataclass
class Line:
    part: str
    price: float
    weight: float
    count: int = 1


@dataclass
class Cart:
    country: str = "NL"
    lines: list = field(default_factory=list)

    def add(self, line):
        self.lines.append(line)

    def weight(self):
        return sum(line.weight * line.count for line in self.lines)

    def total(self):
        """The parts and their shipping."""
        parts = sum(line.price * line.count for line in self.lines)
        return round(parts + shipping(self.weight(), self.country), 2)
