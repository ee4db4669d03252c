from shop.shipping import shipping


def test_a_heavy_parcel():
    assert shipping(27.5) == 49.00


def test_islands_cost_more():
    assert shipping(4.0, "JE") == 21.00
