/** Shows a list as a grid if more than half of its files are photos, as the server does with files that are not encrypted. A chosen view stays. */
export function showGrid(): void {
  const list = document.getElementById("listing");
  if (!list || list.dataset.view !== undefined) return;
  const count = list.querySelectorAll(".entries > li:not(.folder)").length;
  const photos = list.querySelectorAll(".entries > li:is([data-photo], :has([data-kind=photo]))").length;
  if (photos < 2 || photos <= count / 2) return;
  for (const entries of list.querySelectorAll(".entries.list")) entries.classList.replace("list", "grid");
  const other = list.querySelector<HTMLTemplateElement>("template[data-grid-view]");
  if (!other) return;
  list.querySelector(".tools > .view")?.replaceWith(document.importNode(other.content, true));
  other.remove();
}
