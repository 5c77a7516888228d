/** @jsxImportSource preact */
import { Copyable } from "../site/copyable.tsx";
import { FileName } from "../site/file-name.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";

export interface SharedAgainPageProps {
  readonly name: string;
  readonly shareUrl: string;
  readonly sharePath: string;
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}

/** Renders the new link of files that were shared again, with what opens a protected one, which is shown once; for browsers without JavaScript. */
export function renderSharedAgainPage(
  page: PageContext,
  { name, shareUrl, sharePath, unlockCode, handoffUrl }: SharedAgainPageProps,
): string {
  const { shares } = page.texts;
  const parts = [
    { id: "again-link", label: shares.newLink, text: shareUrl },
    ...(unlockCode === undefined ? [] : [{ id: "again-code", label: shares.newCode, text: unlockCode }]),
    ...(handoffUrl === undefined ? [] : [{ id: "again-private", label: shares.newPrivateLink, text: handoffUrl }]),
  ];
  return renderDocument(page, {
    title: shares.sharedAgain,
    styles: ["dashboard"],
    main: { "data-state": "shared-again" },
    children: (
      <section class="card">
        <h1>{shares.sharedAgain}</h1>
        <p class="name">
          <FileName name={name} />
        </p>
        {parts.map(({ id, label, text }) => (
          <div key={id}>
            <p>{label}</p>
            <Copyable page={page} id={id} label={label} text={text} />
          </div>
        ))}
        {handoffUrl === undefined ? null : <p class="quiet">{shares.shownOnce}</p>}
        <p>
          <a class="button" href={sharePath}>
            {shares.open}
          </a>
        </p>
      </section>
    ),
  });
}
