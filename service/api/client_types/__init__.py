"""Types of the contract in the languages of the clients, generated from the OpenAPI document."""
