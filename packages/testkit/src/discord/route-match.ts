/** Finds the route of a path; templates are spelled as in the OpenAPI document. */

export interface TemplateMatch<Route> {
  route: Route;
  params: Record<string, string>;
}

/** The values of a template's parameters when the path fits it, else undefined. */
export function matchTemplate(template: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = safeDecode(given[index] ?? '');
    const name = /^\{(\w+)\}$/.exec(part)?.[1] ?? /^:(\w+)$/.exec(part)?.[1];
    if (name !== undefined) params[name] = value;
    else if (part !== '*' && part !== value) return undefined;
  }
  return params;
}

/** The best route of a path: one that names a part outright wins over a parameter. */
export function findRoute<Route extends { method: string; template: string }>(
  routes: readonly Route[],
  method: string,
  path: string,
): TemplateMatch<Route> | undefined {
  const fitting = routes.flatMap((route) => {
    const params = route.method === method ? matchTemplate(route.template, path) : undefined;
    return params === undefined ? [] : [{ route, params }];
  });
  return fitting.sort((left, right) => Object.keys(left.params).length - Object.keys(right.params).length)[0];
}

function safeDecode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
