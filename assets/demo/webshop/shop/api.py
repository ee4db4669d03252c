"""The shop over HTTP."""

from flask import Flask, request

from shop.cart import Cart, Line
from shop.orders import Orders

app = Flask(__name__)
orders = Orders(store={})


@app.post("/orders/<number>")
def place(number):
    cart = Cart(country=request.json["country"])
    for line in request.json["lines"]:
        cart.add(Line(**line))
    return {"total": orders.place(number, cart)["total"]}


if __name__ == "__main__":
    app.run()
