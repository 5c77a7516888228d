/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Marked } from "../docs/prose.tsx";
import { Copyable } from "../site/copyable.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { McpClientView, McpSnippet } from "./view.ts";

interface ClientProps {
  readonly page: PageContext;
  readonly client: McpClientView;
  readonly isGuest: boolean;
}

/** Renders the folded instructions that connect one program. */
export function ConnectedProgram({ page, client, isGuest }: ClientProps) {
  const { mcp: texts } = page.texts;
  const { id, name, link, snippets } = client;
  const isHosted = id === "claude" || id === "chatgpt";
  const noSignIn = id === "chatgpt" ? texts.noSignIn.chatgpt : undefined;
  const last = isGuest ? noSignIn : texts.signIn[id];
  return (
    <Fold title={name ?? texts.other} id={id}>
      <p>
        <Marked text={texts.steps[id]} />
        {isHosted ? ` ${texts.reach}` : null}
      </p>
      {link === undefined || name === undefined ? null : (
        <a class="button small" href={link}>
          {texts.add(name)}
        </a>
      )}
      <Snippets page={page} id={id} snippets={snippets} />
      {last === undefined ? null : (
        <p>
          <Marked text={last} />
        </p>
      )}
    </Fold>
  );
}

interface FoldProps {
  readonly title: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** Renders the instructions of one program. Only one program at a time is unfolded. */
export const Fold = ({ title, id, children }: FoldProps) => (
  <details name="program" id={id}>
    <summary>{title}</summary>
    <div class="client">{children}</div>
  </details>
);

interface SnippetsProps {
  readonly page: PageContext;
  /** The ID that distinguishes the tabs of this program from the tabs of other programs. */
  readonly id: string;
  readonly snippets: readonly McpSnippet[];
}

export function Snippets({ page, id, snippets }: SnippetsProps) {
  const { mcp: texts } = page.texts;
  return (
    <>
      {snippets.map(({ file, text, program }, index) => {
        const place = file === undefined ? texts.inTerminal : texts.inFile(file);
        const label = program === undefined ? place : `${program} · ${place}`;
        return (
          <div key={text} class="snippet">
            <p class="quiet">{label}</p>
            <Copyable page={page} id={`${id}-${index + 1}`} label={label} text={text} />
          </div>
        );
      })}
    </>
  );
}
