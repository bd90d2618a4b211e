"""A language model server: Ollama's own API and the OpenAI-compatible one over a model that can be predicted.

prompts      what was asked: which part is the item, which the profile, and how much of it is read
scorer       the seeded scorer: what the model thinks of an item
filling      an answer that fits a JSON schema
obeying      the model that does whatever an item's text tells it
generation   one answer: content, thinking, counts, and what faults make of it
native       /api/chat and /api/generate
compatible   /v1/chat/completions and /v1/models
catalogue    the models it has: /api/tags, /api/ps
service      the server as a whole, with a log of what it was asked
"""
