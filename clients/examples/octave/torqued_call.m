function answer = torqued_call (url, path, request)
%TORQUED_CALL  answer = torqued_call ('http://127.0.0.1:8420', '/v1/robots/panda/terms', struct ('q', ..., 'include', {{...}}))
%   Posts a request as JSON; the answer is a struct. A refusal is an error with its place and hint.
%   MATLAB sends it by webwrite. Octave's webwrite supports forms only (7.3: "MediaType: not yet
%   implemented"), so there curl does. For a service with credentials, set TORQUED_TOKEN.
% SPDX-License-Identifier: Apache-2.0
  body = torqued_json (request);
  token = getenv ('TORQUED_TOKEN');
  if ~exist ('OCTAVE_VERSION', 'builtin')
    headers = {'Prefer', 'wait=60'};
    if ~isempty (token)
      headers(end + 1, :) = {'Authorization', ['Bearer ' token]};
    end
    options = weboptions ('MediaType', 'application/json', 'RequestMethod', 'post', 'Timeout', 120, 'HeaderFields', headers);
    answer = webwrite ([url path], body, options);
    return
  end
  file = tempname ();
  cleanup = onCleanup (@() delete (file));
  id = fopen (file, 'w');
  if ~isempty (token)
    fprintf (id, 'header = "Authorization: Bearer %s"\n', token);
  end
  fprintf (id, 'url = "%s%s"\nheader = "Content-Type: application/json"\nheader = "Prefer: wait=60"\n', url, path);
  fprintf (id, 'data-binary = "%s"\n', strrep (strrep (body, '\', '\\'), '"', '\"'));
  fclose (id);
  [status, text] = system (['curl --silent --show-error --fail-with-body --config ' file ' 2>&1']);
  if status ~= 0 && status ~= 22
    error ('torqued:connection', 'no answer of %s: %s', url, strtrim (text));
  end
  answer = jsondecode (text(find (text == '{', 1):find (text == '}', 1, 'last')));
  if status == 22
    said = [answer.title ': ' answer.detail];
    if isfield (answer, 'errors') && isfield (answer.errors, 'hint')
      said = [said '. ' answer.errors(1).hint];
    end
    error ('torqued:refused', '%s', said);
  end
end
