function text = torqued_json (value)
%TORQUED_JSON  A value as JSON, numbers with the 17 digits that give their bits back.
%   Row and column vectors become flat arrays, matrices nested ones (rows outside), cells arrays,
%   structs objects. (jsonencode prints 15 digits, and a column as an array of arrays.)
% SPDX-License-Identifier: Apache-2.0
  if ischar (value)
    value = strrep (strrep (value, '\', '\\'), '"', '\"');
    text = ['"' strrep(strrep (value, sprintf ('\n'), '\n'), sprintf ('\t'), '\t') '"'];
  elseif iscell (value)
    parts = cellfun (@torqued_json, value(:)', 'UniformOutput', false);
    text = ['[' strjoin(parts, ',') ']'];
  elseif isstruct (value) && isscalar (value)
    names = fieldnames (value)';
    parts = cellfun (@(name) [torqued_json(name) ':' torqued_json(value.(name))], names, 'UniformOutput', false);
    text = ['{' strjoin(parts, ',') '}'];
  elseif isstruct (value)
    text = torqued_json (num2cell (value));
  elseif islogical (value) && isscalar (value)
    words = {'false', 'true'};
    text = words{value + 1};
  elseif isscalar (value)
    text = sprintf ('%.17g', value);
  elseif isvector (value) || isempty (value)
    text = ['[' strjoin(arrayfun (@(x) sprintf ('%.17g', x), value(:)', 'UniformOutput', false), ',') ']'];
  else
    rows = arrayfun (@(i) torqued_json (value(i, :)), 1:size (value, 1), 'UniformOutput', false);
    text = ['[' strjoin(rows, ',') ']'];
  end
end
