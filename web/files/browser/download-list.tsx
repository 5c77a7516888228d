/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { language } from "../../site/browser/components/format.ts";
import type { FileDetails } from "../file-details.ts";
import { formatExactDate } from "../short-date.ts";
import { type DownloadEvent, loadDownloads } from "./details.ts";

type Route = keyof typeof texts.routes;

const isRoute = (name: string | null): name is Route => name !== null && Object.hasOwn(texts.routes, name);

/** Renders the downloads of a file, with their dates. */
export function DownloadList({ file: { id, downloads } }: { readonly file: FileDetails }) {
  const [events, setEvents] = useState<readonly DownloadEvent[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const load = async (from: string | null): Promise<void> => {
    const page = await loadDownloads(id, from).catch(() => undefined);
    if (!page) return;
    setEvents((events) => (from === null ? page.events : [...events, ...page.events]));
    setCursor(page.nextCursor);
  };
  useEffect(() => void load(null), []);
  return (
    <section class="files-section">
      <h3>
        {texts.downloads} <span class="quiet">{downloads.toLocaleString(language)}</span>
      </h3>
      {events.length === 0 ? (
        <p class="quiet">{texts.noDownloads}</p>
      ) : (
        <ol class="files-events">
          {events.map(({ id, created_at, event_kind, route }) => (
            <li key={id}>
              <time dateTime={created_at}>{formatExactDate(Date.parse(created_at), language)}</time>
              <span class="quiet">
                {event_kind === "authorized" ? texts.authorized : texts.completed} {isRoute(route) ? texts.routes[route] : ""}
              </span>
            </li>
          ))}
        </ol>
      )}
      {cursor === null ? null : (
        <button class="button small" type="button" onClick={() => void load(cursor)}>
          {texts.moreDownloads}
        </button>
      )}
    </section>
  );
}
