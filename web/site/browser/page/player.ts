/** Renews the URL of a preview's player when it has expired, and continues at the same position. Loaded by pages with a player. */
import { explainFailure } from "./failed-preview.ts";

const SELECTOR = "#preview audio, #preview video";
/** The shortest time after loading at which the URL can have expired. An earlier error comes from the file. */
const MIN_AGE_MS = 60_000;

export function renewPlayer(main: HTMLElement): void {
  const player = main.querySelector(SELECTOR);
  const form = main.querySelector("form[data-renew]");
  if (!(player instanceof HTMLMediaElement) || !(form instanceof HTMLFormElement) || form.dataset.renew === "on") return;
  form.dataset.renew = "on";
  let loadedAtMs = performance.now();
  if (isUnplayable(player)) explainFailure(player);
  player.addEventListener("error", () => {
    if (performance.now() - loadedAtMs < MIN_AGE_MS) {
      if (isUnplayable(player)) explainFailure(player);
      return;
    }
    loadedAtMs = performance.now();
    void renew(player, form).catch(() => undefined);
  });
}

/** Whether the player could not begin, for another reason than the connection. */
const isUnplayable = ({ error, readyState }: HTMLMediaElement): boolean =>
  readyState === HTMLMediaElement.HAVE_NOTHING && error !== null && error.code !== MediaError.MEDIA_ERR_NETWORK;

async function renew(player: HTMLMediaElement, form: HTMLFormElement): Promise<void> {
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const headers = { Accept: "text/html" };
  const response = await (form.method === "post"
    ? fetch(form.action, { method: "POST", body: fields, headers })
    : fetch(`${form.action}?${fields}`, { headers, cache: "no-store" }));
  const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(SELECTOR);
  const url = next?.getAttribute("src");
  if (!url) return;
  const { currentTime, paused } = player;
  player.src = url;
  player.currentTime = currentTime;
  if (!paused) await player.play();
}
