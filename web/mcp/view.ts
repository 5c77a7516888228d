import type { McpTexts } from "./texts/en.ts";

export type McpClientId = keyof McpTexts["steps"];

/** A text to copy: a command, or the content of a file. */
export interface McpSnippet {
  /** The file that it belongs to; undefined for a command. */
  readonly file?: string;
  readonly text: string;
  /** The program that it is for, where those of several are listed. */
  readonly program?: string;
}

/** How a program is connected. */
export interface McpClientView {
  readonly id: McpClientId;
  /** The program's name; undefined for all other programs. */
  readonly name?: string;
  /** Opens the program, which asks before it adds the server. */
  readonly link?: string;
  readonly snippets: readonly McpSnippet[];
}

export interface McpPageProps {
  /** Whether the page is about connecting without an account. */
  readonly isGuest: boolean;
  readonly address: string;
  readonly clients: readonly McpClientView[];
  /** How to send a key; none for guests. */
  readonly keySnippets: readonly McpSnippet[];
  /** How a server on the program's own machine is started, which reaches the files there. */
  readonly localSnippets: readonly McpSnippet[];
  /** What the contract says of the tools, in English. */
  readonly tools: readonly { readonly name: string; readonly title: string }[];
  /** What guests may do; undefined if they need a key to upload. */
  readonly guestUploads?: { readonly fileBytes: number; readonly retentionMs: number | null };
}
