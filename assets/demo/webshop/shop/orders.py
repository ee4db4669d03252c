"""Orders: a cart that was paid for, and where it is."""

from shop.cart import Cart

STATES = ("paid", "packed", "sent")


class Orders:
    """All orders, by number."""

    def __init__(self, store):
        self.store = store

    def place(self, number, cart: Cart):
        self.store[number] = {"cart": cart, "total": cart.total(), "state": STATES[0]}
        return self.store[number]

    def advance(self, number):
        """Moves an order to its next state; the last one stays."""
        order = self.store[number]
        order["state"] = STATES[min(STATES.index(order["state"]) + 1, len(STATES) - 1)]
        return order
