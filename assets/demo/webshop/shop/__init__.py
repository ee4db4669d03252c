"""The shop of Tidewheel."""
