/** The four kinds of questions that gatectl asks. The others would bring an editor and its character sets into the bundle. */
export { confirm, input, password, select } from '@inquirer/prompts';
