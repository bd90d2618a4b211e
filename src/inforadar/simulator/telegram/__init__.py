"""Telegram's Bot API: bots, chats and messages behind it, and what people do with them.

arguments   what a call says, as query, form, multipart or JSON
html        the HTML parse mode, as strict as the real one
markup      inline keyboards
chats       the values: users, chats, messages with their revisions, sends
office      everything one bot has: chats, messages, updates, callback queries
polling     getUpdates and webhooks
methods     the methods by name
service     the Bot API as a whole: tokens, faults, answers; and the people tests play
"""
