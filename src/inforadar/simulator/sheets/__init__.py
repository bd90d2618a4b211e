"""Google Sheets v4: one spreadsheet, the service account that may open it, and the people who edit it.

problems    the errors of Google's APIs
ranges      A1 notation
book        the spreadsheet: tabs and their cells, each with how it was entered
people      what its owner does: moves columns, deletes rows, fills cells; played by tests
account     the service account: its key file, its signed words, its tokens
methods     the calls by name
service     the API as a whole: paths, tokens, quotas, faults, answers
"""
