// Marks an opened answer of a self-check, and counts the questions whose first opened answer was the right one.
// Without this script the answers open all the same. All state is in the page's elements, so being connected twice
// (Material's instant navigation moves elements about) neither counts nor adds anything twice.
customElements.get("self-check") ||
  customElements.define(
    "self-check",
    class extends HTMLElement {
      connectedCallback() {
        if (!this.querySelector(":scope > [role=status]")) {
          const status = document.createElement("p");
          status.setAttribute("role", "status");
          status.setAttribute("aria-live", "polite");
          this.append(status);
        }
        this.addEventListener("click", this); // the keyboard clicks too; the same listener is added only once
      }

      handleEvent(event) {
        const details = event.target.closest("summary")?.parentElement;
        if (!details || details.open) return; // open now means that this click closes it
        const section = details.closest(".sc-question");
        const answer = details.closest("li");
        const verdict = answer.classList.contains("sc-right") ? "right" : "wrong";
        answer.dataset.verdict = verdict;
        for (const other of section.querySelectorAll("details[open]")) {
          other.open = false;
        }
        if (section.dataset.first) return;
        section.dataset.first = verdict;
        this.count();
      }

      count() {
        const questions = [...this.querySelectorAll(".sc-question")];
        const right = questions.filter((question) => question.dataset.first === "right").length;
        const status = this.querySelector(":scope > [role=status]");
        status.textContent = `${right} of ${questions.length} answered right at the first try.`;
      }
    },
  );
