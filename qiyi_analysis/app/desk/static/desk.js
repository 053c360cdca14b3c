"use strict";
// Everything from a file is put into the page as text (textContent), never as markup.
const $ = (id) => document.getElementById(id);
let language = (navigator.language || "zh").startsWith("zh") ? "zh" : "en";
let files = [];
let shown = null;
const words = {
  none: { zh: "没有发现问题。", en: "Nothing was found." },
  refused: { zh: "没有得到答复，请重新打开本页", en: "No answer; open this page again" },
  large: { zh: "文件太大，上限 ", en: "The file is too large; at most " },
  used: { zh: "所用规则：", en: "Rules used: " },
  cause: { zh: "可能原因：", en: "Possible cause: " },
  causes: { zh: "可能原因（任一）：", en: "Possible causes (any one): " },
  advice: { zh: "怎样处理：", en: "What to do: " },
  report: { zh: "报告 PDF", en: "Report PDF" },
  workbook: { zh: "工作簿 Excel", en: "Workbook Excel" },
  page: { zh: "网页 HTML", en: "Web page HTML" },
  data: { zh: "数据 JSON", en: "Data JSON" },
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

function told(finding, audit) {
  // The sentence; where it stands and by which article; what may have caused it; what to do.
  const line = item("li", "", `severity-${finding.severity}`);
  line.append(item("span", `${finding.code} ${audit.words.severity[finding.severity][language]}`, "code"));
  line.append(item("span", language === "zh" ? finding.message_zh : finding.message));
  const place = [finding.file, finding.line].filter((part) => part !== null).join(":");
  line.append(item("div", [place, finding.article].filter(Boolean).join("　"), "place"));
  if (finding.causes.length) {
    const causes = finding.causes.slice(0, 6).map((cause, number) => {
      const word = audit.words.causes[cause.cause];
      const detail = language === "zh" ? finding.causes_zh[number] : cause.detail;
      return language === "zh" ? `${word ? word.zh : cause.cause}（${detail}）` : `${word ? word.en : cause.cause} (${detail})`;
    });
    if (finding.causes.length > 6) causes.push("…");
    const head = finding.causes.length > 1 ? words.causes : words.cause;
    line.append(item("div", head[language] + causes.join(language === "zh" ? "；" : "; "), "causes"));
  }
  const advice = audit.words.advice[finding.code];
  if (advice && finding.severity !== "I") line.append(item("div", words.advice[language] + advice[language], "causes"));
  return line;
}

function show(audit) {
  $("verdict").className = audit.verdict;
  $("verdict").textContent = `${audit.words.event}${language === "zh" ? "：" : ": "}${audit.words.verdict[audit.verdict][language]}`;
  $("detail").textContent = audit.words.coverage[language];
  $("used").textContent = audit.rules.length ? words.used[language] + audit.words.rules.map((rule) => `${rule[language]}${language === "zh" ? "（" : " ("}${rule.id}${language === "zh" ? "）" : ")"}`).join(language === "zh" ? "；" : "; ") : "";
  const names = { pdf: words.report, xlsx: words.workbook, html: words.page, json: words.data };
  $("downloads").replaceChildren(...Object.keys(names).filter((kind) => kind in audit.files).map((kind) => {
    const link = item("a", names[kind][language]);
    link.href = `file?id=${encodeURIComponent(audit.id)}&kind=${kind}`;
    link.id = `download-${kind}`;
    link.download = audit.files[kind];
    return link;
  }));
  const order = { E: 0, W: 1, I: 2 };
  const findings = [...audit.findings].sort((a, b) => order[a.severity] - order[b.severity]).map((finding) => told(finding, audit));
  $("findings").replaceChildren(...(findings.length ? findings : [item("li", words.none[language])]));
  const fields = ["number", "name", "rating", "k", "games", "score", "we", "change", "new_rating"];
  const asked = new Set(audit.findings.filter((finding) => finding.severity !== "I").map((finding) => finding.player));
  $("players").tBodies[0].replaceChildren(...audit.players.map((player) => {
    const row = document.createElement("tr");
    row.className = asked.has(player.number) ? "player marked" : "player";
    row.tabIndex = 0;
    row.append(...fields.map((field) => item("td", player[field], field === "name" ? "text" : "")));
    const unfold = () => toggle(row, audit.id, player.number, fields.length);
    row.addEventListener("click", unfold);
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") unfold(); });
    return row;
  }));
  find();
  $("audit").hidden = false;
  $("result").hidden = false;
}

function refuse(error) {
  $("verdict").className = "error";
  $("verdict").textContent = error.zh ? error[language] : words.refused[language];
  $("detail").textContent = error.detail || "";
  $("audit").hidden = true;
  $("result").hidden = false;
}

// Only the players whose row holds what is looked for; a row unfolded goes with its player.
function find() {
  const sought = $("search").value.trim().toLowerCase();
  let hidden = false;
  for (const row of $("players").tBodies[0].rows) {
    if (row.classList.contains("player")) hidden = !row.textContent.toLowerCase().includes(sought);
    row.hidden = hidden;
  }
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
    const answered = await answer(`player?id=${encodeURIComponent(id)}&number=${number}&language=${language}`);
    text.textContent = answered.text || answered.error[language];
  } catch (error) { text.textContent = error.message; }
}

async function audit(event) {
  event.preventDefault();
  if (!files.length) return;
  shown = null;
  const sent = [...files, ...$("list").files];
  const largest = Number(document.querySelector("meta[name=largest]").content);
  if (sent.reduce((sum, file) => sum + file.size, 0) > largest - 10000) {
    shown = { error: { zh: words.large.zh + (largest >> 20) + " MB", en: words.large.en + (largest >> 20) + " MB" } };
    again();
    return;
  }
  const form = new FormData();
  for (const file of files) form.append("event", file, file.name);
  for (const file of $("list").files) form.append("list", file, file.name);
  form.append("rules", $("rules").value);
  form.append("language", language);
  form.append("mask_minors", $("mask").checked ? "1" : "");
  $("busy").hidden = false;
  $("result").hidden = true;
  $("go").disabled = true;
  try {
    shown = await answer("audit", { method: "POST", headers: headers(), body: form });
  } catch (error) {
    shown = { error: { detail: error.message } };
  } finally {
    $("busy").hidden = true;
    $("go").disabled = false;
  }
  again();
}

// Shows what was answered last, in the language chosen now.
function again() {
  if (!shown) return;
  if (shown.error) refuse(shown.error); else show(shown);
}

for (const id of ["zh", "en"]) $(id).addEventListener("click", () => { language = id; say(); again(); });
$("list").addEventListener("change", () => { $("lists").textContent = Array.from($("list").files).map((file) => file.name).join(", "); });
$("event").addEventListener("change", () => choose($("event").files));
for (const kind of ["dragenter", "dragover"]) $("drop").addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.add("over"); });
for (const kind of ["dragleave", "drop"]) $("drop").addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.remove("over"); });
$("drop").addEventListener("drop", (event) => { choose(event.dataTransfer.files); if (files.length) $("form").requestSubmit(); });
$("drop").addEventListener("keydown", (event) => { if (event.key === "Enter") $("event").click(); });
$("form").addEventListener("submit", audit);
$("search").addEventListener("input", find);
// The token is in the cookie now; it need not stay in the address and the history.
history.replaceState(null, "", location.pathname);
say();
answer("choices").then((choices) => {
  for (const document_ of choices.documents) {
    const option = item("option", document_[language]);
    option.value = document_.id;
    option.dataset.zh = document_.zh;
    option.dataset.en = document_.en;
    $("rules").append(option);
  }
}).catch(() => {});
