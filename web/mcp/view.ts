import type { McpTexts } from "./texts/en.ts";

export type McpClientId = keyof McpTexts["steps"];

/** A text to copy: a command, or the content of a file. */
export interface McpSnippet {
  /** The name of the file; undefined for a command. */
  readonly file?: string;
  readonly text: string;
  /** The name of the program, if texts of several programs are listed. */
  readonly program?: string;
}

/** The instructions that connect a program. */
export interface McpClientView {
  readonly id: McpClientId;
  /** The program's name; undefined for all other programs. */
  readonly name?: string;
  /** A link that opens the program, which asks before it adds the server. */
  readonly link?: string;
  readonly snippets: readonly McpSnippet[];
}

export interface McpPageProps {
  /** Whether the page is about connecting without an account. */
  readonly isGuest: boolean;
  readonly address: string;
  readonly clients: readonly McpClientView[];
  /** Texts that send a key; empty for guests. */
  readonly keySnippets: readonly McpSnippet[];
  /** Texts that start a server on the program's machine, with access to the files there. */
  readonly localSnippets: readonly McpSnippet[];
  /** The names and titles of the tools, from the contract, in English. */
  readonly tools: readonly { readonly name: string; readonly title: string }[];
  /** The limits of uploads by guests; undefined if they need a key to upload. */
  readonly guestUploads?: { readonly fileBytes: number; readonly retentionMs: number | null };
}
