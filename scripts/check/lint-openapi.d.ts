/** What a linter finds in an OpenAPI document, its examples included; a line each. */
export function lintOpenApi(document: object): Promise<string[]>;
