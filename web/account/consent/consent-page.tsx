/** @jsxImportSource preact */
import type { OAuthScope } from "../../../src/contract/oauth-scopes.ts";
import type { RedirectTarget } from "../../../src/lib/http/redirect-uri.ts";
import { BlockedIcon, CheckIcon } from "../../site/icons.tsx";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { SIGN_OUT_PATH } from "../paths.ts";
import type { OAuthTexts } from "../texts/en.ts";

export interface ConsentPageProps {
  /** The name that the application gives itself; empty: it has no name. */
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly target: RedirectTarget;
  /** The checked request. */
  readonly signed: string;
  /** The page's own path and query. */
  readonly path: string;
  /** The name of who is signed in. */
  readonly account: string;
  readonly accountId: string;
}

/** Renders what an application may do if the person allows it, and where they go then. */
export function renderConsentPage(page: PageContext, { name, scopes, target, signed, path, account, accountId }: ConsentPageProps): string {
  const texts = page.texts.oauth;
  const title = texts.title(name === "" ? texts.unnamed : name);
  return renderDocument(page, {
    title,
    styles: ["consent"],
    main: { "data-state": "consent" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          <form method="post" action={SIGN_OUT_PATH} data-sign-out>
            {texts.signedInAs(account)} <input type="hidden" name="next" value={path} />
            <button class="link" type="submit">
              {texts.otherAccount}
            </button>
          </form>
        </div>
        <ScopeList texts={texts} scopes={scopes} />
        <p>
          <Target texts={texts} target={target} />
        </p>
        <p class="quiet">{texts.careful}</p>
        <DecisionForm texts={texts} action={path} fields={{ request: signed, account: accountId }} refusal={["cancel", texts.cancel]} />
      </section>
    ),
  });
}

interface DecisionFormProps {
  readonly texts: OAuthTexts;
  readonly action: string;
  /** What is decided on: the values of hidden fields by their names. */
  readonly fields: Readonly<Record<string, string>>;
  /** The button that does not allow it. */
  readonly refusal: readonly [value: string, text: string];
}

/** The two answers to what an application asks for. */
export function DecisionForm({ texts, action, fields, refusal: [refusal, refusalText] }: DecisionFormProps) {
  return (
    <>
      <form class="form" method="post" action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <p class="actions">
          <button class="button" type="submit" name="decision" value="allow">
            {texts.allow}
          </button>
          <button class="button plain" type="submit" name="decision" value={refusal}>
            {refusalText}
          </button>
        </p>
      </form>
      <p class="quiet">{texts.later}</p>
    </>
  );
}

export interface WrongRequestPageProps {
  /** The error's code, for who makes the application. */
  readonly error: string;
  readonly target: RedirectTarget;
  /** The application's address with the error. */
  readonly url: string;
}

/** Renders that an application's request is wrong. Only a link leads to the application. */
export function renderWrongRequestPage(page: PageContext, { error, target, url }: WrongRequestPageProps): string {
  const { oauth: texts, messages } = page.texts;
  const { title, next } = messages.kinds.unknownApplication;
  return renderDocument(page, {
    title,
    main: { "data-state": "wrong-request" },
    children: (
      <section class="card message">
        <span class="badge bad">
          <BlockedIcon />
        </span>
        <h1>{title}</h1>
        <p>
          {texts.wrongRequest} <code>{error}</code>
        </p>
        <p class="quiet">{next}</p>
        <p>
          <a class="button plain" href={url} rel="noreferrer">
            {target.kind === "site" ? texts.backTo(target.host) : texts.backToApplication}
          </a>
        </p>
      </section>
    ),
  });
}

/** What the application may do, and never may. */
export function ScopeList({ texts, scopes }: { readonly texts: OAuthTexts; readonly scopes: readonly OAuthScope[] }) {
  return (
    <div class="scopes">
      <p id="scopes">{texts.may}</p>
      <ul aria-labelledby="scopes">
        {scopes.map((scope) => (
          <li key={scope}>
            <CheckIcon />
            {texts.scopes[scope]}
          </li>
        ))}
      </ul>
      <p class="quiet">{texts.never}</p>
    </div>
  );
}

function Target({ texts, target }: { readonly texts: OAuthTexts; readonly target: RedirectTarget }) {
  switch (target.kind) {
    case "site":
      return (
        <>
          {texts.toSite} <strong>{target.host}</strong>
        </>
      );
    case "device":
      return <>{texts.toDevice}</>;
    case "scheme":
      return <>{texts.toScheme(target.scheme)}</>;
  }
}
