// The page's one script: keys, decisions shown at once and taken back when they fail, selection, undo, what is new.
// Everything it shows comes from the server as text or as cards the server has made; nothing is built from strings.
"use strict";

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const proof = document.body.dataset.proof;
const list = $("#cards"), toast = $("#toast"), bulk = $("#bulk"), pill = $("#pill"), help = $("#help");
const WORDS = { applied: "Applied", "not interested": "Not for me", later: "Later" };
const STATUS = { applied: "applied", "not interested": "not interested", later: "put off" };
const own = new Map();        // versions that this page itself has made
let lastAct = "", all = null; // `all`: every match that the filters leave is selected
document.documentElement.classList.add("js");

// ---- asking the server
async function post(path, fields) {
  const body = new URLSearchParams([["proof", proof], ...fields]);
  const answer = await fetch(path, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "error" });
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401) told.detail = "You are signed out: load the page again, and sign in.";
  return { ok: answer.ok, status: answer.status, told };
}

// ---- what is said
let toastTimer;
function say(text, { act = "", bad = false } = {}) {
  $(".said", toast).textContent = text;
  $("input[name=act]", toast).value = act;
  $("form", toast).hidden = !act;
  toast.classList.toggle("bad", bad);
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, bad ? 12000 : 8000);
}
const matches = (n) => `${n} ${n === 1 ? "match" : "matches"}`;

// ---- cards
const cards = () => $$(".card", list ?? document.createElement("ul"));
const current = () => $(".card.current");
function select(card, { focus = true } = {}) {
  current()?.classList.remove("current");
  if (!card) return;
  card.classList.add("current");
  if (focus) card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
}
function step(by) {
  const all = cards(), at = all.indexOf(current());
  select(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}
const nextOpen = (card) => { const all = cards(); return all.slice(all.indexOf(card) + 1).find((one) => !one.classList.contains("done")); };
const memory = (card) => ({ done: card.classList.contains("done"), words: $(".now", card).textContent, version: card.dataset.version });
function show(card, words, isDone) {
  card.classList.toggle("done", isDone);
  $(".now", card).textContent = words;
}
function restore(card, before) { show(card, before.words, before.done); }
function stamp(card, place) {
  card.dataset.version = place.version;
  card.dataset.status = place.status;
  own.set(place.id, place.version);
  const field = $("input[name=match]", card);
  if (field) field.value = `${place.id}:${place.version}`;
}
const cardOf = (id) => document.getElementById(`m${id}`);
const DECIDED = ["APPLIED", "NOT_INTERESTED", "IN_ARCHIVE", "NOT_SUITABLE"];
const HOME = { applied: "APPLIED", dismissed: "NOT_INTERESTED", archive: "IN_ARCHIVE", unsuitable: "NOT_SUITABLE" };
const isPutOff = (place) => place.is_put_off && !DECIDED.includes(place.status);
const wordsOf = (place) => isPutOff(place) ? STATUS.later : place.words;
function showPlace(card, place) {
  const tab = list?.dataset.tab, isDecided = DECIDED.includes(place.status);
  stamp(card, place);
  show(card, wordsOf(place), (isDecided && HOME[tab] !== place.status) || (isPutOff(place) && tab !== "later"));
}

const pair = (card) => ["match", `${card.dataset.id}:${card.dataset.version}`];
const MOST_PINNED = 900;
// what this page has shown: "all" is no more than that
const pin = () => [["upto", list.dataset.lastEvent], ["made", list.dataset.made], ...cards().slice(0, MOST_PINNED).map(pair)];

// ---- decisions
async function decide(chosen, verb) {
  const before = new Map(chosen.map((card) => [card, memory(card)]));
  chosen.forEach((card) => show(card, STATUS[verb], true));
  await settle(() => post("/triage", [["verb", verb], ...chosen.map(pair)]), verb, before);
}
async function decideOnAll(verb) {
  const fields = [["verb", verb], ["within", location.search || "?"], ...pin()];
  const before = new Map(cards().map((card) => [card, memory(card)]));
  clearPicks();
  before.forEach((_, card) => show(card, STATUS[verb], true));
  await settle(() => post("/triage", fields), verb, before);
}
// the answer may be lost and the decision not: what the cards show is asked for anew
const UNANSWERED = "The server did not answer: look again whether it was decided.";
async function lookAgain(doubtful) {
  try {
    const asked = new URLSearchParams(doubtful.slice(0, MOST_PINNED).map((card) => ["id", card.dataset.id]));
    const answer = await fetch(`/places?${asked}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    for (const place of (await answer.json()).matches) {
      const card = cardOf(place.id);
      if (card && Number(card.dataset.version) < place.version) showPlace(card, place);
    }
  } catch { return; /* the stream tells it when the server is back */ }
  refresh();
}
async function settle(ask, verb, before) {
  let answer;
  try { answer = await ask(); } catch { answer = null; }
  if (!answer || !(answer.ok || answer.told.conflicts)) {
    before.forEach((was, card) => restore(card, was));
    say(answer?.told.detail ?? UNANSWERED, { bad: true });
    return lookAgain([...before.keys()]);
  }
  const { told } = answer, changed = new Set(told.changed.map((place) => place.id));
  before.forEach((was, card) => { if (!changed.has(Number(card.dataset.id))) restore(card, was); });
  [...told.changed, ...told.conflicts].forEach((place) => { const card = cardOf(place.id); if (card) showPlace(card, place); });
  lastAct = told.act ?? lastAct;
  const stayed = told.conflicts.length ? ` ${matches(told.conflicts.length)} changed elsewhere and stayed: decide again.` : "";
  const left = stayed + (told.left ? ` ${matches(told.left)} came or changed meanwhile and ${told.left === 1 ? "was" : "were"} left alone.` : "");
  if (told.changed.length) say(`${WORDS[verb]}: ${matches(told.changed.length)}.${left}`, { act: String(told.act) });
  else say(left.trim() || `Nothing changed: ${told.unchanged[0]?.why ?? "it is so already"}.`, { bad: Boolean(left) });
  refresh();
}
async function undo(act) {
  let answer;
  try { answer = await post("/undo", act ? [["act", act]] : []); } catch { answer = null; }
  if (!answer?.ok) {
    say(answer ? answer.told.detail ?? "There is nothing to undo." : UNANSWERED, { bad: true });
    return lookAgain(cards());
  }
  answer.told.changed.forEach((place) => {
    const card = cardOf(place.id);
    if (card) { showPlace(card, place); card.classList.remove("done"); }
  });
  lastAct = "";
  const first = cardOf(answer.told.changed[0]?.id);
  if (first) select(first);
  say(`Undone: ${matches(answer.told.changed.length)}.`);
  if (!list) location.reload();
  refresh();
}
function act(verb) {
  if (all) return decideOnAll(verb);
  const picked = picks();
  if (picked.length) { clearPicks(); return decide(picked, verb); }
  const card = current();
  if (!card) return say("Choose one with j and k first.");
  const next = nextOpen(card);
  decide([card], verb);
  if (next) select(next);
}

// ---- selection
const picks = () => cards().filter((card) => $(".pick-box", card).checked);
function showPicks() {
  const n = all ? all.number : picks().length;
  bulk.hidden = !n;
  $(".picked", bulk).textContent = all ? `All ${all.number.toLocaleString("en")}${all.is_more ? " newest" : ""} matching selected` : `${n} selected`;
  $(".all", bulk).hidden = Boolean(all);
}
function clearPicks() { all = null; $$(".pick-box").forEach((box) => { box.checked = false; }); showPicks(); }
async function pickAll() {
  const asked = new URLSearchParams([...new URLSearchParams(location.search), ...pin()]);
  const answer = await fetch(`/matching?${asked}`, { headers: { Accept: "application/json" } });
  if (!answer.ok) return say("The server does not answer.", { bad: true });
  all = await answer.json();
  $$(".pick-box").forEach((box) => { box.checked = true; });
  showPicks();
}

// ---- what is new: the list is never moved by itself
const placeOf = (card) => [Date.parse($("time", card).dateTime), Number(card.dataset.id)];
const isAbove = (one, other) => one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);
const older = (within = document) => $(".more a[rel=next]", within);
// down to here the page has shown the list: what it does not hold above came since, what stands below moved up
let foot = list && older() && cards().length ? placeOf(cards().at(-1)) : null;
let fresh = [], waiting = false, again = false;
async function refresh() {
  if (!list || waiting) { again = waiting; return; }
  waiting = true;
  try {
    const address = new URL(location.href);
    address.searchParams.delete("done");
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (answer.ok) {
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      $("#tabs").replaceChildren(...$("#tabs", made).childNodes);
      renew(made);
      if (list.dataset.first === "1") sort(made);
    }
  } catch { /* the stream says when the server is back */ }
  waiting = false;
  if (again) { again = false; refresh(); }
}
function renew(made) {
  for (const card of $$("#cards .card", made)) {
    const known = document.getElementById(card.id);
    if (!known || Number(known.dataset.version) >= Number(card.dataset.version)) continue;
    const isCurrent = known === current(), hasFocus = known === document.activeElement;
    $(".pick-box", card).checked = $(".pick-box", known).checked;
    known.replaceWith(document.adoptNode(card));
    if (isCurrent) card.classList.add("current");
    if (hasFocus) card.focus({ preventScroll: true });
  }
}
function sort(made) {
  const unknown = $$("#cards .card", made).filter((card) => !document.getElementById(card.id));
  fresh = unknown.filter((card) => !foot || isAbove(placeOf(card), foot));
  pill.hidden = !fresh.length;
  pill.textContent = `${fresh.length}${fresh.length >= 50 ? "+" : ""} new`;
  const moved = unknown.filter((card) => !fresh.includes(card));
  if (moved.length) goOn(moved.map((card) => document.adoptNode(card)), older(made));
}
function goOn(moved, link) {
  list.append(...moved);
  moved.forEach((card) => { $(".pick-box", card).checked = Boolean(all); });
  foot = link ? placeOf(moved.at(-1)) : null;
  if (link) older().href = link.href;
  else older().parentElement.remove();
}
function showFresh() {
  for (const card of fresh) {
    const below = cards().find((one) => isAbove(placeOf(card), placeOf(one)));
    list.insertBefore(document.adoptNode(card), below ?? null);
  }
  const first = fresh[0];
  fresh = [];
  pill.hidden = true;
  $(".empty")?.remove();
  select(first);
}
// a browser has six connections to a server for all its pages: one that nobody sees gives its own back
let stream = null, heard = list?.dataset.lastEvent, soon, retry;
const LISTEN_AGAIN_MS = 3000;
function hush() {
  clearTimeout(retry);
  stream?.close();
  document.body.dataset.live = "0";
}
function listen() {
  hush();
  stream = new EventSource(`/events?since=${heard}`);
  stream.onopen = () => { document.body.dataset.live = "1"; };
  stream.onerror = () => {
    document.body.dataset.live = "0";
    // after an answer that is no stream, such as that of a proxy whose server restarts, a browser gives up
    if (stream.readyState === EventSource.CLOSED) retry = setTimeout(listen, LISTEN_AGAIN_MS);
  };
  stream.onmessage = (event) => {
    heard = event.lastEventId || heard;
    for (const place of JSON.parse(event.data).matches) {
      const card = cardOf(place.id);
      if (!card || Number(card.dataset.version) >= place.version || own.get(place.id) >= place.version) continue;
      // where something else of it changed, the card is made anew below: it must not pass for what was seen
      if (memory(card).words !== wordsOf(place)) showPlace(card, place);
    }
    clearTimeout(soon);
    soon = setTimeout(refresh, 300);
  };
}

// ---- keys
const KEYS = {
  j: () => step(1), k: () => step(-1),
  a: () => act("applied"), x: () => act("not interested"), s: () => act("later"),
  z: () => undo(lastAct),
  o: () => { const link = $("a.open", current() ?? $(".item") ?? document.createElement("p")); if (link) link.click(); },
  n: () => { if (fresh.length) showFresh(); },
  "/": () => $("#text")?.focus(),
  "?": () => help?.showModal(),
  Enter: () => { const link = $("a.title", current() ?? document.createElement("p")); if (link) link.click(); },
  " ": () => { const box = $(".pick-box", current() ?? document.createElement("p")); if (box) { box.checked = !box.checked; all = null; showPicks(); } },
};
function escape() {
  if (help?.open) help.close();
  else if (document.activeElement?.matches("input, select")) document.activeElement.blur();
  else if (bulk && !bulk.hidden) clearPicks();
  else toast.hidden = true;
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return escape();
  const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
  const isPressing = event.target.matches("a, button, summary, input[type=checkbox]") && ["Enter", " "].includes(event.key);
  if (isTyping || isPressing || help?.open || !(event.key in KEYS)) return;
  if (!list && !($(".item") && ["o", "z"].includes(event.key))) return onItem(event);
  event.preventDefault();
  KEYS[event.key]();
});
function onItem(event) {
  const verb = { a: "applied", x: "not interested", s: "later" }[event.key];
  const button = verb && $(`.item > .acts button[value="${verb}"]`);
  if (button && !button.disabled) { event.preventDefault(); button.click(); }
}

if (list) {
  list.addEventListener("submit", (event) => {
    event.preventDefault();
    const card = event.target.closest(".card"), isCurrent = card === current(), next = nextOpen(card);
    decide([card], event.submitter.value);
    if (isCurrent && next) select(next);
  });
  list.addEventListener("click", (event) => { if (!event.target.closest("a, button, input, label")) select(event.target.closest(".card"), { focus: false }); });
  list.addEventListener("change", () => { all = null; showPicks(); });
  bulk.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.verb) act(button.dataset.verb);
    else if (button.classList.contains("all")) pickAll();
    else clearPicks();
  });
  pill.addEventListener("click", showFresh);
  $(".filters").addEventListener("change", (event) => { if (event.target.matches("select")) event.currentTarget.requestSubmit(); });
  document.addEventListener("visibilitychange", () => (document.hidden ? hush() : listen()));
  if (!document.hidden) listen();
}
for (const here of $$("nav a[aria-current]")) {
  const menu = here.parentElement, from = here.getBoundingClientRect().left - menu.getBoundingClientRect().left;
  menu.scrollLeft += from - (menu.clientWidth - here.offsetWidth) / 2;
}
toast.addEventListener("submit", (event) => { event.preventDefault(); undo($("input[name=act]", toast).value); });
if (!toast.hidden) lastAct = $("input[name=act]", toast).value;
setInterval(() => {
  for (const one of $$("[data-countdown]")) {
    const left = Math.max(0, Number(one.dataset.countdown) - 1);
    one.dataset.countdown = left;
    one.textContent = left >= 3600 ? `${Math.floor(left / 3600)} h ${Math.floor((left % 3600) / 60)} min` : left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s` : `${left} s`;
  }
}, 1000);
