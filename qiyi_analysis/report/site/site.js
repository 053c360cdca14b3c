"use strict";
const COLUMNS = ["place", "id", "name", "sex", "federation", "unit", "player_title", "birth_year", "rating", "change"];
const NUMBERS = new Set(["place", "birth_year", "rating", "change", "players", "mean"]);
const MOST = 200, PIECES = 5;
const waiting = {}, loaded = {};
function qiyi(kind, key, rows) { loaded[`${kind}-${key}`] = rows; (waiting[`${kind}-${key}`] || []).forEach(f => f(rows)); }
function piece(kind, key) {
  const name = `${kind}-${key}`;
  if (loaded[name]) return Promise.resolve(loaded[name]);
  return new Promise((done, failed) => {
    if (waiting[name]) { waiting[name].push(done); return; }
    waiting[name] = [done];
    const script = document.createElement("script");
    script.src = `data/${name}.js`; script.onerror = () => failed(new Error(name));
    document.head.append(script);
  });
}
const main = document.getElementById("main"), field = document.getElementById("q");
let index = null;
function make(tag, text, more) { const e = document.createElement(tag); if (text != null) e.textContent = text; return Object.assign(e, more || {}); }
function show(...parts) { main.replaceChildren(...parts); }
function link(text, hash) { return make("a", text, { href: hash }); }
function signed(v) { return v == null ? "–" : v > 0 ? `+${v}` : String(v); }
function cell(name, value, row, number) {
  const td = make("td", null, { className: NUMBERS.has(name) ? "n" : "" });
  if (name === "name") td.append(link(value, `#p${number}`));
  else td.textContent = name === "change" ? signed(value) : value == null ? (name === "place" && /i/i.test(row[10]) ? WORDS.inactive : "–") : value;
  return td;
}
function table(rows, names, sortable) {
  const wrap = make("div", null, { className: "wide" }), t = make("table"), head = make("tr"), body = make("tbody");
  const used = names.filter(n => rows.some(r => r.row[names.indexOf(n)] !== "" && r.row[names.indexOf(n)] != null));
  const fill = list => body.replaceChildren(...list.map(r => { const tr = make("tr"); used.forEach(n => tr.append(cell(n, r.row[names.indexOf(n)], r.row, r.number))); return tr; }));
  let last = "", down = 1;
  used.forEach(n => {
    const th = make("th", null, { className: NUMBERS.has(n) ? "n" : "", scope: "col" }), b = make("button", WORDS[n], { type: "button" });
    if (sortable) { b.onclick = () => { down = last === n ? -down : 1; last = n; const i = names.indexOf(n);
      fill([...rows].sort((a, c) => { const x = a.row[i], y = c.row[i]; if (x == null || y == null) return (x == null) - (y == null); return down * (typeof x === "number" ? x - y : String(x).localeCompare(String(y), "zh")); })); }; th.append(b); }
    else th.textContent = WORDS[n];
    head.append(th);
  });
  const top = make("thead"); top.append(head); t.append(top, body); fill(rows); wrap.append(t); return wrap;
}
async function rowsOf(numbers) {
  const keys = [...new Set(numbers.map(n => Math.floor(n / index.size)))];
  await Promise.all(keys.map(k => piece("rows", k)));
  return numbers.map(n => ({ number: n, row: loaded[`rows-${Math.floor(n / index.size)}`][n % index.size] }));
}
async function page(number) {
  const last = Math.ceil(index.players / index.size), rows = await piece("rows", number), nav = make("nav");
  if (number > 0) nav.append(link(WORDS.before, `#l${number - 1}`));
  nav.append(make("span", `${number + 1} / ${last}`, { className: "quiet" }));
  if (number + 1 < last) nav.append(link(WORDS.next, `#l${number + 1}`));
  show(nav, table(rows.map((row, i) => ({ number: number * index.size + i, row })), COLUMNS, true), nav.cloneNode(true));
}
function curve(days, ratings) {
  const at = ratings.map((r, i) => [i, r]).filter(p => p[1] != null), S = "http://www.w3.org/2000/svg", svg = document.createElementNS(S, "svg");
  svg.setAttribute("viewBox", "0 0 640 240"); svg.setAttribute("role", "img"); svg.setAttribute("aria-label", at.map(p => `${days[p[0]]} ${p[1]}`).join(", "));
  const low = Math.min(...at.map(p => p[1])), high = Math.max(...at.map(p => p[1])), time = days.every(d => !isNaN(Date.parse(d)));
  const when = i => time ? Date.parse(days[i]) : i, a = when(0), b = when(days.length - 1);
  const x = i => 50 + 570 * (b > a ? (when(i) - a) / (b - a) : .5), y = r => 205 - 180 * (high > low ? (r - low) / (high - low) : .5);
  const add = (tag, attributes, text) => { const e = document.createElementNS(S, tag); for (const k in attributes) e.setAttribute(k, attributes[k]); if (text) e.textContent = text; svg.append(e); };
  add("polyline", { points: at.map(p => `${x(p[0])},${y(p[1])}`).join(" "), fill: "none", stroke: "#0b4f8a", "stroke-width": 2 });
  at.forEach(p => add("circle", { cx: x(p[0]), cy: y(p[1]), r: 4, fill: "#0b4f8a" }));
  [low, high].forEach(r => add("text", { x: 4, y: y(r) + 5, "font-size": 13 }, String(r)));
  add("text", { x: 50, y: 232, "font-size": 13 }, days[0]); add("text", { x: 620, y: 232, "font-size": 13, "text-anchor": "end" }, days[days.length - 1]);
  return svg;
}
async function card(number) {
  const [{ row }] = await rowsOf([number]), over = row[11] || [], list = make("table");
  COLUMNS.forEach((n, i) => { if (n !== "name" && row[i] != null && row[i] !== "") { const tr = make("tr"); tr.append(make("th", WORDS[n], { scope: "row" }), make("td", n === "change" ? signed(row[i]) : row[i])); list.append(tr); } });
  const parts = [make("h2", row[2]), list];
  if (over.filter(r => r != null).length > 1) parts.push(curve(index.days, over));
  if (over.length) parts.push(table(index.days.map((d, i) => ({ number, row: [d, over[i], over[i] != null && over[i - 1] != null ? over[i] - over[i - 1] : null] })).filter(r => r.row[1] != null), ["date", "rating", "change"], false));
  show(...parts);
}
function plain(text) { return text.normalize("NFKC").toLowerCase().normalize("NFD").replace(/[\s.,·'’-]|[\u0300-\u036f]/g, ""); }
async function find(text) {
  const asked = plain(text), id = /^\d+$/.test(asked) ? asked.replace(/^0+/, "") : asked;
  const leaves = Object.keys(index.leaves).filter(p => p.startsWith(id) || id.startsWith(p)).slice(0, PIECES);
  const pieces = await Promise.all(leaves.map(p => piece("find", index.leaves[p])));
  if (plain(field.value) !== asked) return;
  const every = [...new Set(pieces.flat().filter(e => e[0].startsWith(id)).map(e => e[1]))].sort((a, b) => a - b), numbers = every.slice(0, MOST);
  if (!numbers.length) { show(make("p", WORDS.nothing)); return; }
  const parts = [table(await rowsOf(numbers), COLUMNS, true)];
  if (every.length > MOST || leaves.length >= PIECES) parts.unshift(make("p", WORDS.first, { className: "quiet" }));
  show(...parts);
}
async function route() {
  const hash = decodeURIComponent(location.hash.slice(1)), kind = hash[0], key = Number(hash.slice(1));
  if (kind === "p") return card(key);
  if (kind === "l") return page(key);
  if (kind === "t") { const t = index.tops[key]; return show(make("h2", [WORDS[t[0]] || t[0], t[1]].join(" ")), table((await rowsOf(await piece("top", key))).map((r, i) => ({ number: r.number, row: [i + 1, ...r.row.slice(1)] })), COLUMNS, true)); }
  if (hash === "lists") return show(make("h2", WORDS.lists), table(index.lists.map(r => ({ number: 0, row: r.slice(0, 4) })), ["date", "players", "mean", "rating"], false));
  if (hash === "tops") { const parts = [make("h2", WORDS.tops)], groups = {}; index.tops.forEach((t, i) => { if (t[2]) (groups[t[0]] = groups[t[0]] || []).push(link(t[1] || WORDS[t[0]], `#t${i}`)); });
    for (const g in groups) { const nav = make("nav"); nav.append(make("strong", WORDS[g] || g), ...groups[g]); parts.push(nav); } return show(...parts); }
  if (hash === "corrections") { const t = make("table"); index.corrections.forEach(r => { const tr = make("tr"); r.forEach(v => tr.append(make("td", v))); t.append(tr); }); return show(make("h2", WORDS.corrections), t); }
  if (hash === "downloads") { const nav = make("nav"); index.downloads.forEach(d => nav.append(make("a", d.split("/").pop(), { href: d, download: "" }))); return show(make("h2", WORDS.downloads), nav); }
  return page(0);
}
piece("index", 0).then(found => {
  index = found;
  const menu = document.getElementById("menu");
  [["all", "l0"], ["open", "t0"], ["women", "t1"], ["tops", "tops"], ["lists", "lists"], ["downloads", "downloads"]].forEach(([w, h]) => menu.append(link(WORDS[w], `#${h}`)));
  if (index.corrections.length) menu.append(link(WORDS.corrections, "#corrections"));
  window.addEventListener("hashchange", () => { field.value = ""; route(); });
  field.addEventListener("input", () => field.value.trim() ? find(field.value.trim()) : route());
  route().then(() => document.body.dataset.ready = "1");
});
