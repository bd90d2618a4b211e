"""A local internet: hh.ru, LinkedIn, Habr, InfoJobs and eBay in their real wire shapes, and a JSON API that pages in
every way there is, over a world that moves by itself,
and the services a program talks to: Telegram's Bot API, a model server and Google Sheets.

Nothing here imports the parsers or the core, so that a misreading of a source cannot hide on both sides.

    vocabulary, phrases         the words and sentences of postings and articles
    entry, making, listings     what postings, articles and things for sale are made of
    search                      which entries a query sees
    world                       what exists, what is visible, and since when: the truth tests compare with
    vacancies                   postings that were meant to fit, to be banned, closed, gone or silent
    happenings                  chance events that move a world (arrivals, withdrawals, bumps, ...)
    wire, rules                 requests and responses; the habits of the sites that can be chosen
    hh, linkedin, habr,
    infojobs, ebay, rest        request -> response by each site's rules (`*_shape`, `*_html` draw bodies)
    boards, feeds               the same for company boards of six applicant systems, and for feeds
    sites                       all of them by name
    faults, twists, damage      switches for what goes wrong: when it strikes, and what it does to an answer
    service, outages            what services have in common; who is down, and when
    telegram, ollama, sheets    the services, each a folder of its own
    internet                    all sites and services over one world, with clock, script and log, without sockets
    server, wires               the HTTP door for programs under test
    control, control_services   the door for who steers the world and plays its people
    scenarios                   ready-made worlds, and `serve` for the command line
"""
