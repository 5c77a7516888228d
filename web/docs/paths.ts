/** The overview of the documentation. Below it, each group of operations, each guide and the errors have a page. */
export const DOCS_PATH = "/docs";

/** The page of all error codes. */
export const ERRORS_SLUG = "errors";

/** Returns the path of a page by its slug. The overview has an empty slug. */
export const docsPath = (slug: string): string => (slug === "" ? DOCS_PATH : `${DOCS_PATH}/${slug}`);
