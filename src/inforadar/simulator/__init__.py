"""A local internet: hh.ru, LinkedIn and Habr in their real wire shapes over a world that moves by itself.

Nothing here imports the parsers or the core, so that a misreading of a source cannot hide on both sides.

    vocabulary, entry, making   what postings and articles are made of
    search                      which entries a query sees
    world                       what exists, what is visible, and since when: the truth tests compare with
    happenings                  chance events that move a world (arrivals, withdrawals, bumps, ...)
    wire, rules                 requests and responses; the habits of the sites that can be chosen
    hh, linkedin, habr          request -> response by each site's rules (`*_shape`, `*_html` draw bodies)
    sites                       the three of them by name
    faults, twists, damage      switches for what goes wrong: when it strikes, and what it does to an answer
    internet                    all sites over one world, with clock, script and log, without sockets
    server, control             the HTTP door for programs under test, and the one for who steers the world
    scenarios                   ready-made worlds, and `serve` for the command line
"""
