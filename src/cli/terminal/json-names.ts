/** Names that unify the output of client commands, independent of the operation (command line, "Output"). */
const NAMES: Readonly<Record<string, string>> = {
  shareUrl: "url",
  link: "url",
  size: "sizeBytes",
  size_bytes: "sizeBytes",
  total_size: "sizeBytes",
  short_id: "shortId",
  expires_at: "expiresAt",
  created_at: "createdAt",
  updated_at: "updatedAt",
  parent_id: "parentId",
  content_type: "contentType",
  file_count: "fileCount",
};

/** Renames the members of a value for `--json`. The `url` of an operation, beside the link of the share, leads to the bytes. */
export function withJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withJsonNames);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const hasBytesUrl = "shareUrl" in value && "url" in value;
  const entries = Object.entries(value).map(([name, content]) => {
    if (hasBytesUrl && name === "url") return ["downloadUrl", content] as const;
    if (hasBytesUrl && name === "shareUrl") return ["url", content] as const;
    const other = NAMES[name];
    const shown = other === undefined || Object.hasOwn(value, other) ? name : other;
    return [shown, shown === "sizeBytes" && typeof content === "string" ? Number(content) : withJsonNames(content)] as const;
  });
  return Object.fromEntries(entries);
}
