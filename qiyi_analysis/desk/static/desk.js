"use strict";
// Everything from a file is put into the page as text (textContent), never as markup.
const $ = (id) => document.getElementById(id);
let language = (navigator.language || "zh").startsWith("zh") ? "zh" : "en";
let files = [];
const words = {
  accept: { zh: "通过", en: "accept" },
  remarks: { zh: "通过，但有待询问事项", en: "accept with remarks" },
  return: { zh: "退回裁判长更正", en: "return to the arbiter" },
  none: { zh: "没有发现问题。", en: "Nothing was found." },
  failed: { zh: "不能读取：", en: "Cannot be read: " },
  refused: { zh: "服务器拒绝了请求", en: "The server refused the request" },
};

function say() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const element of document.querySelectorAll("[data-zh]")) element.textContent = element.dataset[language];
}

function choose(list) {
  files = Array.from(list);
  $("chosen").textContent = files.map((file) => file.name).join(", ");
  $("go").disabled = files.length === 0;
}

const headers = () => ({ "X-XSRFToken": document.querySelector("meta[name=xsrf]").content });

async function answer(url, options) {
  const response = await fetch(url, { credentials: "same-origin", ...options });
  if (!response.ok) throw new Error(`${words.refused[language]} (${response.status})`);
  return response.json();
}

function item(tag, text, name) {
  const element = document.createElement(tag);
  element.textContent = text === null || text === undefined ? "" : String(text);
  if (name) element.className = name;
  return element;
}

function show(audit) {
  $("verdict").className = audit.verdict;
  $("verdict").textContent = `${audit.event}: ${words[audit.verdict][language]}`;
  const names = { pdf: "PDF", xlsx: "Excel", html: "HTML", json: "JSON" };
  $("downloads").replaceChildren(...Object.keys(names).filter((kind) => kind in audit.files).map((kind) => {
    const link = item("a", names[kind]);
    link.href = `file?id=${encodeURIComponent(audit.id)}&kind=${kind}`;
    link.id = `download-${kind}`;
    link.download = audit.files[kind];
    return link;
  }));
  const findings = audit.findings.map((finding) => {
    const place = [finding.file, finding.line].filter((part) => part !== null).join(":");
    const line = item("li", `${finding.code} ${finding.severity}  ${language === "zh" ? finding.message_zh : finding.message}`);
    line.title = [place, finding.article].filter(Boolean).join("  ");
    if (finding.causes.length) {
      line.append(item("div", finding.causes.slice(0, 6).map((c) => `${c.cause}: ${c.detail} (${c.explains})`).join("; "), "causes"));
    }
    return line;
  });
  $("findings").replaceChildren(...(findings.length ? findings : [item("li", words.none[language])]));
  const fields = ["number", "name", "rating", "k", "games", "score", "we", "change", "new_rating"];
  $("players").tBodies[0].replaceChildren(...audit.players.map((player) => {
    const row = document.createElement("tr");
    row.className = "player";
    row.tabIndex = 0;
    row.append(...fields.map((field) => item("td", player[field], field === "name" ? "text" : "")));
    const unfold = () => toggle(row, audit.id, player.number, fields.length);
    row.addEventListener("click", unfold);
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") unfold(); });
    return row;
  }));
  $("result").hidden = false;
}

async function toggle(row, id, number, columns) {
  const next = row.nextElementSibling;
  if (next && next.classList.contains("working")) { next.remove(); return; }
  const working = document.createElement("tr");
  working.className = "working";
  const cell = document.createElement("td");
  cell.colSpan = columns;
  const text = item("pre", "…");
  cell.append(text);
  working.append(cell);
  row.after(working);
  try {
    const told = await answer(`player?id=${encodeURIComponent(id)}&number=${number}`);
    text.textContent = told.text || told.error;
  } catch (error) { text.textContent = error.message; }
}

async function audit(event) {
  event.preventDefault();
  if (!files.length) return;
  const form = new FormData();
  for (const file of files) form.append("event", file, file.name);
  for (const file of $("list").files) form.append("list", file, file.name);
  form.append("rules", $("rules").value);
  form.append("language", language);
  form.append("mask_minors", $("mask").checked ? "1" : "");
  $("busy").hidden = false;
  $("result").hidden = true;
  try {
    const told = await answer("audit", { method: "POST", headers: headers(), body: form });
    if (told.error) throw new Error(words.failed[language] + told.error);
    show(told);
  } catch (error) {
    $("verdict").className = "error";
    $("verdict").textContent = error.message;
    for (const id of ["downloads", "findings"]) $(id).replaceChildren();
    $("players").tBodies[0].replaceChildren();
    $("result").hidden = false;
  } finally { $("busy").hidden = true; }
}

for (const id of ["zh", "en"]) $(id).addEventListener("click", () => { language = id; say(); });
$("event").addEventListener("change", () => choose($("event").files));
for (const kind of ["dragenter", "dragover"]) $("drop").addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.add("over"); });
for (const kind of ["dragleave", "drop"]) $("drop").addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.remove("over"); });
$("drop").addEventListener("drop", (event) => { choose(event.dataTransfer.files); if (files.length) $("form").requestSubmit(); });
$("drop").addEventListener("keydown", (event) => { if (event.key === "Enter") $("event").click(); });
$("form").addEventListener("submit", audit);
say();
answer("choices").then((told) => {
  for (const document_ of told.documents) {
    const option = item("option", document_[language]);
    option.value = document_.id;
    option.dataset.zh = document_.zh;
    option.dataset.en = document_.en;
    $("rules").append(option);
  }
}).catch(() => {});
