import { COMMON_VARIABLES, OWN_VARIABLES } from '../environment-variables.ts';
import { commands, heading, type Topic, text } from '../topic.ts';

export const environment: Topic = {
  name: 'environment',
  summary: 'environment variables',
  blocks: [
    text(
      'Precedence: flag, environment variable, project file (see gatectl help profiles), profile, default. gatectl profile show prints where each value comes from.',
    ),
    heading('variables of gatectl'),
    { kind: 'terms', terms: OWN_VARIABLES },
    heading('variables of the system'),
    { kind: 'terms', terms: COMMON_VARIABLES },
    heading('for example'),
    commands(
      'GATECTL_PROFILE=staging gatectl bda domains',
      'GATECTL_OUTPUT=json gatectl products reader@example.com',
    ),
  ],
};
