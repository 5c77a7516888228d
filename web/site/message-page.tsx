/** @jsxImportSource preact */

import { BlockedIcon, CheckIcon, ClockIcon, InfoIcon, LockIcon, QuestionIcon, RemovedIcon, UsedUpIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import type { PageContext } from "./page-context.ts";
import type { MessageTexts } from "./texts/en.ts";

export type MessageKind = keyof MessageTexts["kinds"];

export interface MessagePageProps {
  readonly kind: MessageKind;
  /** A sentence that replaces the kind's text: the message of an `AppError`. */
  readonly detail?: string;
  /** The ID of the request, which readers can send to the administrator. */
  readonly requestId?: string;
  /** The URL to which `crossSite` leads, without a trailing slash. */
  readonly siteUrl?: string;
}

type Icon = typeof InfoIcon;

const STYLES: Readonly<
  Record<
    MessageKind,
    { readonly tone: "good" | "note" | "bad"; readonly icon: Icon; readonly asksAdministrator?: true; readonly mayPass?: true }
  >
> = {
  notFound: { tone: "note", icon: QuestionIcon },
  missing: { tone: "note", icon: QuestionIcon, asksAdministrator: true },
  expired: { tone: "note", icon: ClockIcon },
  usedUp: { tone: "note", icon: UsedUpIcon },
  blocked: { tone: "bad", icon: BlockedIcon, asksAdministrator: true },
  blocklisted: { tone: "bad", icon: BlockedIcon, asksAdministrator: true },
  damaged: { tone: "bad", icon: InfoIcon, asksAdministrator: true },
  takenDown: { tone: "bad", icon: RemovedIcon, asksAdministrator: true },
  notAvailable: { tone: "note", icon: InfoIcon, asksAdministrator: true },
  notReady: { tone: "note", icon: ClockIcon, mayPass: true },
  badSignedUrl: { tone: "note", icon: ClockIcon, asksAdministrator: true },
  noHandoff: { tone: "note", icon: QuestionIcon, asksAdministrator: true },
  noDeletion: { tone: "note", icon: QuestionIcon },
  deleted: { tone: "good", icon: CheckIcon },
  reported: { tone: "good", icon: CheckIcon },
  noRequest: { tone: "note", icon: QuestionIcon, asksAdministrator: true },
  noPublicPage: { tone: "note", icon: QuestionIcon },
  unknownApplication: { tone: "bad", icon: BlockedIcon },
  requestUnavailable: { tone: "note", icon: InfoIcon, asksAdministrator: true },
  requestClosed: { tone: "note", icon: CheckIcon },
  requestExpired: { tone: "note", icon: ClockIcon },
  requestUsedUp: { tone: "note", icon: CheckIcon },
  requestFull: { tone: "note", icon: InfoIcon, mayPass: true },
  locked: { tone: "note", icon: LockIcon },
  payment: { tone: "note", icon: InfoIcon },
  crossSite: { tone: "note", icon: InfoIcon },
  refused: { tone: "note", icon: InfoIcon },
  tooManyRequests: { tone: "note", icon: ClockIcon, mayPass: true },
  busy: { tone: "note", icon: ClockIcon, mayPass: true },
  error: { tone: "bad", icon: InfoIcon, asksAdministrator: true, mayPass: true },
};

/** Renders a page that says what happened, what to do next and whom to ask. */
export function renderMessagePage(page: PageContext, { kind, detail, requestId, siteUrl }: MessagePageProps): string {
  const { messages } = page.texts;
  const message = messages.kinds[kind];
  const { tone, icon: MessageIcon, asksAdministrator, mayPass } = STYLES[kind];
  const { title } = message;
  const text = detail ?? message.text;
  const { abuseUrl } = page.site;
  return renderDocument(page, {
    title,
    main: { "data-state": kind, "data-say": `${title}. ${text}` },
    children: (
      <section class="card message">
        <span class={`badge ${tone}`}>
          <MessageIcon />
        </span>
        <h1>{title}</h1>
        <p data-message="">{text}</p>
        {"next" in message ? <p class="quiet">{message.next}</p> : null}
        {requestId === undefined ? null : (
          <p class="quiet">
            {messages.requestId} <code>{requestId}</code>
          </p>
        )}
        <p class="actions">
          {mayPass ? (
            <a class="button" href={page.query || "?"}>
              {messages.retry}
            </a>
          ) : null}
          {kind === "crossSite" && siteUrl !== undefined ? (
            <a class="button" href={siteUrl}>
              {siteUrl}
            </a>
          ) : (
            <a class="button plain" href="/">
              {messages.start}
            </a>
          )}
          {asksAdministrator && abuseUrl !== undefined ? (
            <a class="button plain" href={abuseUrl} rel="noopener">
              {messages.contact}
            </a>
          ) : null}
        </p>
      </section>
    ),
  });
}
