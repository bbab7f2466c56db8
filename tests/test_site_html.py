"""What the site does to the HTML of its pages: formulas, what is painted first, and the lab's numbers."""

import sys
from pathlib import Path

import markdown
import pytest
from mkdocs.exceptions import PluginError

with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(Path(__file__).parents[1] / "docs" / "_site"), *sys.path])
    import live
    import mathml
    import sooner


class TestFormulas:
    def page(self, text):
        arithmatex = {"pymdownx.arithmatex": {"generic": True}}
        extensions = ["pymdownx.arithmatex", mathml.MathMLExtension()]
        return markdown.markdown(text, extensions=extensions, extension_configs=arithmatex)

    def test_tex_is_mathml_inside_a_line_and_on_its_own(self):
        inline, block = self.page("So $a$ is"), self.page("$$ a $$")
        assert inline.startswith('<p>So <span class="math-inline" data-search-exclude><math>')
        assert block.startswith('<div class="math" tabindex="0" role="group" aria-label="Formula"')
        assert '<math display="block">' in block

    @pytest.mark.parametrize("stop", [".", ",", "),", "?"])
    def test_a_stop_stays_on_the_line_of_its_formula(self, stop):
        found = self.page(f"Take $a$ and $b${stop} Then go.")
        assert found.count('<span class="math-stop">') == 1
        assert f"<mi>b</mi></math></span>{stop}</span> Then go." in found

    def test_bad_tex_stops_the_build_and_names_itself(self):
        with pytest.raises(PluginError, match=r"bad TeX: \\frac\{1"):
            self.page(r"Take $\frac{1$ now")


class TestSooner:
    def test_drops_indentation_but_not_what_is_shown(self):
        html = "<div>\n\n    <b>a</b> b\n  <pre>1\n\n  2</pre>\n</div>\n<script>\n  f()\n</script>"
        assert sooner.slim(html) == "<div>\n<b>a</b> b\n<pre>1\n\n  2</pre>\n</div>\n<script>\n  f()\n</script>"

    def test_names_and_brackets_need_no_element(self):
        html = '<code><span class="n">f</span><span class="p">(</span><span class="mi">1</span></code>'
        assert sooner.slim(html) == '<code>f(<span class="mi">1</span></code>'
        linked = '<span class="n"><a href="#f">f</a></span>'
        assert sooner.slim(linked) == linked

    def test_scripts_wait_for_the_first_frame_in_their_order(self):
        scripts = '<script src="a.js?x=1&amp;y=2"></script>\n<script src="b.js" defer></script>\n'
        found = sooner.paint_first(f"<body><p>text</p><script>f()</script>{scripts}</body></html>")
        assert "<script src" not in found
        assert '["a.js?x=1&y=2", "b.js"]' in found
        assert found.startswith("<body><p>text</p><script>f()</script>")
        assert found.endswith("</script>\n</body></html>")


class TestLab:
    def test_numbers_cannot_end_the_script_they_stand_in(self):
        html = live.lab([live.situation("</script><b>", ["<pad>"], [[1]], [[1]], [[2.00049]])], "<p>none</p>").data
        assert html.count("</script>") == 1
        assert '"v": [[2.0]]' in html

    def test_a_grid_shows_dashes_where_keys_are_blocked(self):
        html = live.grid("W", [[0.25, 0.75], [1, 0]], ["<a>", "b"], ["<a>", "b"], [[0, 0], [0, 1]])
        assert "<td>0.25</td><td>0.75</td>" in html
        assert "<td>1</td><td>-</td>" in html
        assert "<a>" not in html
