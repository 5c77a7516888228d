/** @jsxImportSource preact */
import { BlockedIcon, CheckIcon, InfoIcon } from "./icons.tsx";
import { renderDocument } from "./layout.tsx";

interface Message {
  readonly title: string;
  readonly text: string;
  readonly next: string;
  readonly look: "good" | "note" | "bad";
}

const MESSAGES = {
  missing: {
    title: "There is nothing here",
    text: "No file belongs to this address.",
    next: "Check the link for a missing or extra character, or ask the sender for it again.",
    look: "note",
  },
  expired: {
    title: "This link has expired",
    text: "Its time is over, and the file has been removed.",
    next: "Ask the sender to share the file again.",
    look: "note",
  },
  usedUp: {
    title: "This link has been used up",
    text: "The file could be downloaded a set number of times only, and that number has been reached.",
    next: "If it was not you who downloaded it, tell the sender. They can share the file again.",
    look: "note",
  },
  blocked: {
    title: "This file is blocked",
    text: "Its check for malware found something, or could not be finished, so nobody can download it.",
    next: "Please tell the sender. If it is the right file, they can upload it again.",
    look: "bad",
  },
  damaged: {
    title: "This file arrived damaged",
    text: "It is not the file that the sender announced, so nobody can download it.",
    next: "Ask the sender to send it again.",
    look: "bad",
  },
  takenDown: {
    title: "This file has been taken down",
    text: "The operator of this server removed it following a legal complaint.",
    next: "If you think that was a mistake, ask the sender to contact the operator.",
    look: "bad",
  },
  unavailable: {
    title: "This link is not available",
    text: "The sender's files cannot be opened at the moment.",
    next: "Ask the sender, or try again later.",
    look: "note",
  },
  notReady: {
    title: "Not ready yet",
    text: "The file is still being uploaded or checked for malware.",
    next: "Go back and wait a moment: the page of the file shows when it is ready.",
    look: "note",
  },
  badAddress: {
    title: "This download address no longer works",
    text: "Download addresses are valid for a short time, and this one has lapsed or is not complete.",
    next: "Open the share link again and press Download: you will get a fresh one.",
    look: "note",
  },
  noDelivery: {
    title: "This delivery link does not work",
    text: "It has expired, or its sender has replaced it with a new one.",
    next: "Check the link for a missing or extra character, or ask the sender for the present one.",
    look: "note",
  },
  noDeletion: {
    title: "There is nothing to remove here",
    text: "The file is gone already, or the deletion link is not complete.",
    next: "Check the link for a missing or extra character.",
    look: "note",
  },
  deleted: {
    title: "The file has been removed",
    text: "Its link has stopped working, for everybody.",
    next: "A download that had begun may still end; nobody can begin another.",
    look: "good",
  },
  locked: {
    title: "This share is protected",
    text: "Its sender has an unlock code, or a private delivery link, for those who may have it.",
    next: "Open the share link and enter the code there, or ask the sender for it.",
    look: "note",
  },
  payment: {
    title: "This file has a price",
    text: "Only who has bought it can download it.",
    next: "Ask the sender how to buy it.",
    look: "note",
  },
  crossSite: {
    title: "That came from somewhere else",
    text: "By what your browser says, another site sent this request, so nothing was done.",
    next: "Open the link in a window of its own and try again there.",
    look: "note",
  },
  refused: {
    title: "That did not work",
    text: "The server could not take your upload.",
    next: "Go back, change what is needed, and try again.",
    look: "note",
  },
  tooManyRequests: {
    title: "A little too fast",
    text: "Many requests came from your network in a short time.",
    next: "Wait a minute, then try again.",
    look: "note",
  },
  busy: {
    title: "The server is busy",
    text: "It cannot answer right now. Your link is fine.",
    next: "Try again in a minute.",
    look: "note",
  },
  error: {
    title: "Something went wrong",
    text: "The fault is on our side, not yours.",
    next: "Try again. If it happens again, tell the operator the request id below.",
    look: "bad",
  },
} as const satisfies Record<string, Message>;

export type MessageKind = keyof typeof MESSAGES;

export interface MessagePageProps {
  readonly kind: MessageKind;
  /** A sentence that says more than the kind's own and replaces it: the message of an `AppError`. */
  readonly detail?: string;
  /** Shown so that it can be quoted to the operator. */
  readonly requestId?: string;
}

const ICONS = { good: CheckIcon, note: InfoIcon, bad: BlockedIcon } as const;

/** A page that says in plain words what is the matter and what to do next. */
export function renderMessagePage({ kind, detail, requestId }: MessagePageProps): string {
  const message: Message = MESSAGES[kind];
  const text = detail ?? message.text;
  const MessageIcon = ICONS[message.look];
  return renderDocument({
    title: message.title,
    main: { "data-state": kind, "data-say": `${message.title}. ${text}` },
    children: (
      <section class="card message">
        <span class={`badge ${message.look}`}>
          <MessageIcon />
        </span>
        <h1>{message.title}</h1>
        <p data-message="">{text}</p>
        <p class="quiet">{message.next}</p>
        {requestId === undefined ? null : (
          <p class="quiet">
            Request id: <code>{requestId}</code>
          </p>
        )}
        <a class="button plain" href="/">
          To the start page
        </a>
      </section>
    ),
  });
}
