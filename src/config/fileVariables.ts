/** Variables that name a file with the value of another variable: how Docker and Kubernetes provide secrets. */
import { variables } from './variables.js';

/** The value is a path already: a path of a file with the path would be read as the manifest by mistake. */
const WITHOUT_FILE = 'OPERATIONS_MANIFEST';

/** For each variable that names a file, the variable whose value the file has. */
export const fileVariables: ReadonlyMap<string, string> = new Map(
  Object.keys(variables)
    .filter((name) => name !== WITHOUT_FILE)
    .map((name) => [`${name}_FILE`, name]),
);
