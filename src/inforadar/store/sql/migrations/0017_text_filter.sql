-- What the text filter looks through: the folded text of each item, and an index of every three characters in it.

{any_time};

CREATE {text_table};

FILL item_texts;

{text_index};
