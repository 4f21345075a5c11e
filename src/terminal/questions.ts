/** The prompts that gatectl uses. Others would add an editor with its character sets to the bundle. */
export { checkbox, confirm, input, password, select } from '@inquirer/prompts';
