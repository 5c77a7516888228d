/** @jsxImportSource preact */
import { BlockedIcon, CheckIcon, InfoIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";
import type { PageContext } from "./page-context.ts";

interface Message {
  readonly title: string;
  readonly text: string;
  readonly next: string;
  readonly tone: "good" | "note" | "bad";
}

const MESSAGES = {
  missing: {
    title: "Link not found",
    text: "Nothing is shared at this address.",
    next: "Check the link, or ask the sender for a new one.",
    tone: "note",
  },
  expired: {
    title: "This link has expired",
    text: "Nothing is shared at this address any more.",
    next: "Ask the sender to share the file again.",
    tone: "note",
  },
  usedUp: {
    title: "This link has no downloads left",
    text: "The file has been downloaded as often as the sender allowed.",
    next: "If that was not you, ask the sender to share it again.",
    tone: "note",
  },
  blocked: {
    title: "This file is blocked",
    text: "The scan found malware or failed, so nobody can download it.",
    next: "Tell the sender. They can upload the file again.",
    tone: "bad",
  },
  damaged: {
    title: "This file arrived damaged",
    text: "It does not match the sender’s file, so nobody can download it.",
    next: "Ask the sender to upload it again.",
    tone: "bad",
  },
  takenDown: {
    title: "This file has been taken down",
    text: "The administrator removed it after a legal complaint.",
    next: "Is this a mistake? Ask the sender to contact the administrator.",
    tone: "bad",
  },
  notAvailable: {
    title: "This link is not available",
    text: "The sender’s files are not available at the moment.",
    next: "Ask the sender, or try again later.",
    tone: "note",
  },
  notReady: {
    title: "Not ready yet",
    text: "The file is still uploading or being scanned for malware.",
    next: "Go back and wait: the page shows when the file is ready.",
    tone: "note",
  },
  badSignedUrl: {
    title: "This download link does not work",
    text: "It has expired or is incomplete.",
    next: "Open the share’s link again and press Download.",
    tone: "note",
  },
  noHandoff: {
    title: "This private link does not work",
    text: "It has expired, is incomplete, or was replaced by the sender.",
    next: "Check the link, or ask the sender for a new one.",
    tone: "note",
  },
  noDeletion: {
    title: "Nothing to delete",
    text: "The file is already deleted, or the link is incomplete.",
    next: "Check the link for missing or extra characters.",
    tone: "note",
  },
  deleted: {
    title: "File deleted",
    text: "Its link has stopped working for everyone.",
    next: "Downloads that have already started may still finish.",
    tone: "good",
  },
  reported: {
    title: "Report sent",
    text: "The administrator of this server can now read it.",
    next: "If you gave a mail address, they may write to you.",
    tone: "good",
  },
  locked: {
    title: "This link needs a code",
    text: "The sender has the code, or a private link that needs none.",
    next: "Open the link and enter the code, or ask the sender.",
    tone: "note",
  },
  payment: {
    title: "This file has a price",
    text: "Only buyers can download it.",
    next: "Ask the sender how to buy it.",
    tone: "note",
  },
  crossSite: {
    title: "Open this page at its own address",
    text: "Another site sent this request, so nothing was done.",
    next: "Open the link there and try again.",
    tone: "note",
  },
  refused: {
    title: "That did not work",
    text: "The server could not accept your request.",
    next: "Go back, correct it, and try again.",
    tone: "note",
  },
  tooManyRequests: {
    title: "Too many requests",
    text: "Many requests came from your network in a short time.",
    next: "Wait a minute, then try again.",
    tone: "note",
  },
  busy: {
    title: "The server is busy",
    text: "It cannot respond right now. Your link is fine.",
    next: "Try again in a minute.",
    tone: "note",
  },
  error: {
    title: "Something went wrong",
    text: "The problem is on our side, not yours.",
    next: "Try again. If it keeps failing, send the administrator the request ID.",
    tone: "bad",
  },
} as const satisfies Record<string, Message>;

export type MessageKind = keyof typeof MESSAGES;

export interface MessagePageProps {
  readonly kind: MessageKind;
  /** A sentence that replaces the kind's text: the message of an `AppError`. */
  readonly detail?: string;
  /** Shown so that readers can send it to the administrator. */
  readonly requestId?: string;
  /** The URL that `crossSite` names, without a slash at the end. */
  readonly siteUrl?: string;
}

const ICONS = { good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

/** Renders a page that says what happened and what to do next. */
export function renderMessagePage(page: PageContext, { kind, detail, requestId, siteUrl }: MessagePageProps): string {
  const message: Message = MESSAGES[kind];
  const title = kind === "crossSite" && siteUrl !== undefined ? `Open this page at ${siteUrl}` : message.title;
  const text = detail ?? message.text;
  const MessageIcon = ICONS[message.tone];
  return renderDocument(page, {
    title,
    main: { "data-state": kind, "data-say": `${title}. ${text}` },
    children: (
      <section class="card message">
        <span class={`badge ${message.tone}`}>
          <MessageIcon />
        </span>
        <h1>{title}</h1>
        <p data-message="">{text}</p>
        <p class="quiet">{message.next}</p>
        {requestId === undefined ? null : (
          <p class="quiet">
            Request ID: <code>{requestId}</code>
          </p>
        )}
        <a class="button plain" href="/">
          Go to the start page
        </a>
      </section>
    ),
  });
}
