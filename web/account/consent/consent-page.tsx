/** @jsxImportSource preact */
import type { OAuthScope } from "../../../src/contract/oauth-scopes.ts";
import type { RedirectTarget } from "../../../src/lib/http/redirect-uri.ts";
import { BlockedIcon, CheckIcon } from "../../site/icons.tsx";
import { renderDocument } from "../../site/layout.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { SIGN_OUT_PATH } from "../paths.ts";
import type { OAuthTexts } from "../texts/en.ts";

export interface ConsentPageProps {
  /** The name that the application chose; empty if it has none. */
  readonly name: string;
  readonly scopes: readonly OAuthScope[];
  readonly target: RedirectTarget;
  /** The checked and signed request. */
  readonly signed: string;
  /** The path and query of this page. */
  readonly path: string;
  /** The name of the signed-in account. */
  readonly account: string;
  readonly accountId: string;
}

/** Renders the rights that an application requests, and the address to which the person returns. */
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
  /** The names and values of hidden fields, which identify the request. */
  readonly fields: Readonly<Record<string, string>>;
  /** The value and the text of the button that refuses. */
  readonly refusal: readonly [value: string, text: string];
}

/** Renders the form with the two answers to a request of an application. */
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
  /** The code of the error, for the developer of the application. */
  readonly error: string;
  readonly target: RedirectTarget;
  /** The address of the application, with the error. */
  readonly url: string;
}

/** Renders the error for an invalid request of an application. The browser reaches the application only by a link. */
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

/** Renders the lists of rights that the application gets, and of rights that it never gets. */
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
