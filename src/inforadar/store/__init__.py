"""The only room that speaks SQL: one module per owner table, the same functions on both databases."""
